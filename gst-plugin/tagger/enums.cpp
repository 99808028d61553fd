// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/enums.hpp"

#include "support/properties.hpp"
#include "tagger/settings.hpp"

namespace bcp::tagger {
GType provider_type() {
  static const GEnumValue values[] = {
      gst::enum_value(
          onnx::Provider::kAuto,
          "CUDA where it works, else OpenVINO where it is installed and agrees with the CPU, else the CPU; says "
          "on the bus what was chosen and why",
          "auto"),
      gst::enum_value(onnx::Provider::kCpu, "The CPU", "cpu"),
      gst::enum_value(onnx::Provider::kCuda, "CUDA, or start fails", "cuda"),
      gst::enum_value(onnx::Provider::kOpenVino, "OpenVINO on the CPU, or start fails", "openvino"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpExecutionProvider", values);
  return type;
}

GType precision_type() {
  static const GEnumValue values[] = {
      gst::enum_value(
          onnx::Precision::kAuto,
          "bf16 with OpenVINO where the processor has it and embeddings stay the same, else the model's own", "auto"),
      gst::enum_value(onnx::Precision::kFp32, "The model's own, usually 32-bit floats", "fp32"),
      gst::enum_value(onnx::Precision::kBf16, "16-bit floats in OpenVINO, or start fails", "bf16"),
      gst::enum_value(onnx::Precision::kInt8, "The int8 variant of the model's image tower, or start fails", "int8"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpPrecision", values);
  return type;
}

GType preset_type() {
  static const GEnumValue values[] = {
      gst::enum_value(adapt::Preset::kPaper, "The published method to the letter", "paper"),
      gst::enum_value(adapt::Preset::kVideo, "For live video: cautious, forgets slowly, near copies are learnt once",
                      "video"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpPreset", values);
  return type;
}

GType correction_type() {
  static const GEnumValue values[] = {
      gst::enum_value(adapt::Correction::kNone,
                      "Plain CLIP; BCP goes on learning, so that it can be switched on at any time", "none"),
      gst::enum_value(adapt::Correction::kBcp, "Bayesian Conditional Priors: which labels occur together", "bcp"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpCorrection", values);
  return type;
}

GType decision_type() {
  static const GEnumValue values[] = {
      gst::enum_value(decide::Rule::kPresence,
                      "The probability that the label is in the picture: several labels may be shown, or none",
                      "presence"),
      gst::enum_value(decide::Rule::kSoftmax, "The label's share among the labels that are asked for, corrected",
                      "softmax"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpDecisionRule", values);
  return type;
}

GType mode_type() {
  static const GEnumValue values[] = {
      gst::enum_value(Mode::kAuto, "async when the pipeline is live, else sync", "auto"),
      gst::enum_value(Mode::kSync, "A frame waits for its own labels", "sync"),
      gst::enum_value(Mode::kAsync, "No frame waits: each carries the newest labels there are, with their age",
                      "async"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpMode", values);
  return type;
}

GType coverage_type() {
  static const GEnumValue values[] = {
      gst::enum_value(
          image::Coverage::kCentre,
          "As the model was trained: CLIP's middle square (drops 44 % of a 16:9 picture), the whole frame for SigLIP",
          "centre"),
      gst::enum_value(image::Coverage::kSquash, "The whole frame, distorted", "squash"),
      gst::enum_value(image::Coverage::kTiles, "Overlapping squares that cover the frame, their embeddings averaged",
                      "tiles"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpCoverage", values);
  return type;
}

GType inference_region_type() {
  static const GEnumValue values[] = {
      gst::enum_value(InferenceRegion::kFullFrame, "The frame", "full-frame"),
      gst::enum_value(InferenceRegion::kRoiList, "Each region that a detector has marked", "roi-list"),
      gst::enum_value(InferenceRegion::kFullFrameAndRoi, "The frame, and each region", "full-frame+roi"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpInferenceRegion", values);
  return type;
}

GType skip_static_type() {
  static const GEnumValue values[] = {
      gst::enum_value(SkipStatic::kAuto, "on in async mode, off in sync mode", "auto"),
      gst::enum_value(SkipStatic::kOn, "A frame that looks like the last scored one carries its labels", "on"),
      gst::enum_value(SkipStatic::kOff, "Every frame that is due is scored", "off"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpSkipStatic", values);
  return type;
}

GType post_messages_type() {
  static const GEnumValue values[] = {
      gst::enum_value(PostMessages::kOff, "None", "off"),
      gst::enum_value(PostMessages::kResults, "A bcp-result message for every result", "results"),
      gst::enum_value(PostMessages::kEvents, "A bcp-event message when a label comes or goes", "events"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpPostMessages", values);
  return type;
}

GType prior_mode_type() {
  static const GEnumValue values[] = {
      gst::enum_value(prior::PriorMode::kOff, "prior-file is not looked at", "off"),
      gst::enum_value(prior::PriorMode::kReadOnly, "Loaded at start, never written", "read-only"),
      gst::enum_value(prior::PriorMode::kReadWrite, "Loaded at start if it is there, saved at the end", "read-write"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpPriorMode", values);
  return type;
}

}  // namespace bcp::tagger
