// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/enums.hpp"

#include <gst/gst.h>

#include "overlay/settings.hpp"

namespace bcp::overlay {
namespace {

GType marked(GType type) {
  gst_type_mark_as_plugin_api(type, static_cast<GstPluginAPIFlags>(0));
  return type;
}

}  // namespace

GType position_type() {
  static const GEnumValue values[] = {
      {static_cast<gint>(Position::kTopLeft), "Top left", "top-left"},
      {static_cast<gint>(Position::kTopRight), "Top right", "top-right"},
      {static_cast<gint>(Position::kBottomLeft), "Bottom left", "bottom-left"},
      {static_cast<gint>(Position::kBottomRight), "Bottom right", "bottom-right"},
      {0, nullptr, nullptr},
  };
  static const GType type = marked(g_enum_register_static("GstBcpOverlayPosition", values));
  return type;
}

GType show_type() {
  static const GFlagsValue values[] = {
      {kShowProbability, "The probability of each label", "probability"},
      {kShowBar, "The probability as a bar", "bar"},
      {kShowCorrection, "What the correction did: labels raised, lowered and added, and by how much", "correction"},
      {kShowAnchor, "Which label is the anchor; with compare also in words, and how much was learnt", "anchor"},
      {kShowSource, "The name of the stream", "source"},
      {kShowRemoved, "Labels that the correction took away, struck through", "removed"},
      {kShowAll, "All labels, also those below the threshold, up to max-lines", "all"},
      {kShowRegions, "The boxes of regions, each with its label", "regions"},
      {0, nullptr, nullptr},
  };
  static const GType type = marked(g_flags_register_static("GstBcpOverlayShow", values));
  return type;
}

}  // namespace bcp::overlay
