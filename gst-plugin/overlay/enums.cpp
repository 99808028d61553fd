// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/enums.hpp"

#include "overlay/settings.hpp"
#include "support/properties.hpp"

namespace bcp::overlay {
GType position_type() {
  static const GEnumValue values[] = {
      gst::enum_value(Position::kTopLeft, "Top left", "top-left"),
      gst::enum_value(Position::kTopRight, "Top right", "top-right"),
      gst::enum_value(Position::kBottomLeft, "Bottom left", "bottom-left"),
      gst::enum_value(Position::kBottomRight, "Bottom right", "bottom-right"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpOverlayPosition", values);
  return type;
}

GType show_type() {
  static const GFlagsValue values[] = {
      {kShowProbability, "The probability of each label", "probability"},
      {kShowBar, "The probability as a bar", "bar"},
      {kShowCorrection,
       "Effect of the correction: labels raised, lowered and added, and by how much (decision=softmax)", "correction"},
      {kShowAnchor, "Which label is the anchor; with compare also as text, with the number of learnt frames", "anchor"},
      {kShowSource, "The name of the stream", "source"},
      {kShowRemoved, "Labels that the correction removed, struck through (decision=softmax)", "removed"},
      {kShowAll, "All labels, also those below the threshold, up to max-lines", "all"},
      {kShowRegions, "The boxes of regions, each with its label", "regions"},
      {kShowReason,
       "The context word that explains a frame without labels; with compare also prior, evidence and threshold "
       "(decision=presence)",
       "reason"},
      {0, nullptr, nullptr},
  };
  static const GType type = [] {
    const GType made = g_flags_register_static("GstBcpOverlayShow", values);
    gst_type_mark_as_plugin_api(made, static_cast<GstPluginAPIFlags>(0));
    return made;
  }();
  return type;
}

}  // namespace bcp::overlay
