// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/enums.hpp"

#include <gst/gst.h>

#include "tagger/settings.hpp"

namespace bcp::gst {
namespace {

// REQUIRES: `values` has static storage and ends with a zero entry, as GLib wants it.
GType registered(const char* name, const GEnumValue* values) {
  const GType type = g_enum_register_static(name, values);
  gst_type_mark_as_plugin_api(type, static_cast<GstPluginAPIFlags>(0));
  return type;
}

template <typename Enum>
constexpr GEnumValue value(Enum v, const char* description, const char* nick) {
  return {static_cast<gint>(v), description, nick};
}

constexpr GEnumValue kEnd{0, nullptr, nullptr};

}  // namespace

GType provider_type() {
  static const GEnumValue values[] = {
      value(onnx::Provider::kAuto, "CUDA where it works, else the CPU; says on the bus what was chosen and why",
            "auto"),
      value(onnx::Provider::kCpu, "The CPU", "cpu"),
      value(onnx::Provider::kCuda, "CUDA, or start fails", "cuda"),
      kEnd,
  };
  static const GType type = registered("GstBcpExecutionProvider", values);
  return type;
}

GType preset_type() {
  static const GEnumValue values[] = {
      value(adapt::Preset::kPaper, "The published method to the letter", "paper"),
      value(adapt::Preset::kVideo, "For live video: shrinkage, and near copies are learnt once", "video"),
      kEnd,
  };
  static const GType type = registered("GstBcpPreset", values);
  return type;
}

GType correction_type() {
  static const GEnumValue values[] = {
      value(tag::Correction::kNone, "Plain CLIP; learning goes on", "none"),
      value(tag::Correction::kBcp, "Bayesian Conditional Priors", "bcp"),
      kEnd,
  };
  static const GType type = registered("GstBcpCorrection", values);
  return type;
}

GType coverage_type() {
  static const GEnumValue values[] = {
      value(image::Coverage::kCentre, "The middle square, as CLIP was trained (drops 44 % of a 16:9 picture)",
            "centre"),
      value(image::Coverage::kSquash, "The whole frame, distorted", "squash"),
      value(image::Coverage::kTiles, "Overlapping squares that cover the frame, their embeddings averaged", "tiles"),
      kEnd,
  };
  static const GType type = registered("GstBcpCoverage", values);
  return type;
}

GType post_messages_type() {
  static const GEnumValue values[] = {
      value(PostMessages::kOff, "None", "off"),
      value(PostMessages::kResults, "A bcp-result message for every result", "results"),
      value(PostMessages::kEvents, "A bcp-event message when a label comes or goes", "events"),
      kEnd,
  };
  static const GType type = registered("GstBcpPostMessages", values);
  return type;
}

GType prior_mode_type() {
  static const GEnumValue values[] = {
      value(tag::PriorMode::kOff, "prior-file is not looked at", "off"),
      value(tag::PriorMode::kReadOnly, "Loaded at start, never written", "read-only"),
      value(tag::PriorMode::kReadWrite, "Loaded at start if it is there, saved at the end", "read-write"),
      kEnd,
  };
  static const GType type = registered("GstBcpPriorMode", values);
  return type;
}

}  // namespace bcp::gst
