// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/enums.hpp"

#include "support/properties.hpp"
#include "tagger/settings.hpp"

namespace bcp::tagger {
GType provider_type() {
  static const GEnumValue values[] = {
      gst::enum_value(
          onnx::Provider::kAuto,
          "CUDA if it works, else OpenVINO if it is installed and its results match the CPU, else the CPU; an info "
          "message on the bus gives the choice and the reason",
          "auto"),
      gst::enum_value(onnx::Provider::kCpu, "The CPU", "cpu"),
      gst::enum_value(onnx::Provider::kCuda, "CUDA; start fails if it does not work", "cuda"),
      gst::enum_value(onnx::Provider::kOpenVino, "OpenVINO on the CPU; start fails if it does not work", "openvino"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpExecutionProvider", values);
  return type;
}

GType precision_type() {
  static const GEnumValue values[] = {
      gst::enum_value(onnx::Precision::kAuto,
                      "bf16 with OpenVINO if the processor supports it and the embeddings stay the same, else fp32",
                      "auto"),
      gst::enum_value(onnx::Precision::kFp32, "The precision of the model file, usually 32-bit floats", "fp32"),
      gst::enum_value(onnx::Precision::kBf16, "16-bit floats with OpenVINO; start fails if not supported", "bf16"),
      gst::enum_value(onnx::Precision::kInt8,
                      "The int8 variant of the model's image tower; start fails if it is missing", "int8"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpPrecision", values);
  return type;
}

GType preset_type() {
  static const GEnumValue values[] = {
      gst::enum_value(adapt::Preset::kPaper, "The published method, without changes", "paper"),
      gst::enum_value(adapt::Preset::kVideo,
                      "For live video: cautious, forgets slowly, learns near-identical frames once", "video"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpPreset", values);
  return type;
}

GType correction_type() {
  static const GEnumValue values[] = {
      gst::enum_value(adapt::Correction::kNone,
                      "Plain CLIP; BCP keeps learning, so that it can be switched on at any time", "none"),
      gst::enum_value(adapt::Correction::kBcp, "Bayesian Conditional Priors: uses which labels occur together", "bcp"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpCorrection", values);
  return type;
}

GType decision_type() {
  static const GEnumValue values[] = {
      gst::enum_value(decide::Rule::kPresence,
                      "Probability that the label is in the picture: several labels can be shown, or none", "presence"),
      gst::enum_value(decide::Rule::kSoftmax, "Softmax over the requested labels, corrected", "softmax"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpDecisionRule", values);
  return type;
}

GType mode_type() {
  static const GEnumValue values[] = {
      gst::enum_value(Mode::kAuto, "async when the pipeline is live, else sync", "auto"),
      gst::enum_value(Mode::kSync, "A frame waits for its own labels", "sync"),
      gst::enum_value(Mode::kAsync, "No frame waits: each carries the newest available labels, with their age",
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
          "As the model was trained: the centre square for CLIP (drops 44 % of a 16:9 picture), the whole frame for "
          "SigLIP",
          "centre"),
      gst::enum_value(image::Coverage::kSquash, "The whole frame, distorted to the size of the model's input",
                      "squash"),
      gst::enum_value(image::Coverage::kTiles,
                      "Overlapping squares that cover the frame; their embeddings are averaged", "tiles"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpCoverage", values);
  return type;
}

GType inference_region_type() {
  static const GEnumValue values[] = {
      gst::enum_value(InferenceRegion::kFullFrame, "The whole frame", "full-frame"),
      gst::enum_value(InferenceRegion::kRoiList, "Each region marked by a detector", "roi-list"),
      gst::enum_value(InferenceRegion::kFullFrameAndRoi, "The whole frame and each region", "full-frame+roi"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpInferenceRegion", values);
  return type;
}

GType skip_static_type() {
  static const GEnumValue values[] = {
      gst::enum_value(SkipStatic::kAuto, "on in async mode, off in sync mode", "auto"),
      gst::enum_value(SkipStatic::kOn, "A frame that looks like the last scored frame gets the same labels", "on"),
      gst::enum_value(SkipStatic::kOff, "Every due frame is scored", "off"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpSkipStatic", values);
  return type;
}

GType post_messages_type() {
  static const GEnumValue values[] = {
      gst::enum_value(PostMessages::kOff, "No messages", "off"),
      gst::enum_value(PostMessages::kResults, "A bcp-result message for every result", "results"),
      gst::enum_value(PostMessages::kEvents, "A bcp-event message when a label appears or disappears", "events"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpPostMessages", values);
  return type;
}

GType prior_mode_type() {
  static const GEnumValue values[] = {
      gst::enum_value(prior::PriorMode::kOff, "prior-file is ignored", "off"),
      gst::enum_value(prior::PriorMode::kReadOnly, "Loaded at start, never written", "read-only"),
      gst::enum_value(prior::PriorMode::kReadWrite,
                      "Loaded at start if it exists; saved at EOS, at stop and every prior-interval", "read-write"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpPriorMode", values);
  return type;
}

}  // namespace bcp::tagger
