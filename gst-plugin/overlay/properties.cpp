// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/properties.hpp"

#include "overlay/enums.hpp"
#include "support/properties.hpp"

namespace bcp::overlay {

using gst::kControllable, gst::kLive, gst::kReadOnly;

void install_properties(GObjectClass* object_class) {
  const Settings defaults;
  const auto install = [&](Property id, GParamSpec* spec) { g_object_class_install_property(object_class, id, spec); };

  install(kPropEnabled,
          g_param_spec_boolean("enabled", "Enabled", "Draw labels; if false, frames pass through unchanged",
                               defaults.enabled, kControllable));
  install(kPropPosition, g_param_spec_enum("position", "Position", "Corner of the frame for the panel", position_type(),
                                           static_cast<gint>(defaults.position), kControllable));
  install(kPropFont,
          g_param_spec_string("font", "Font",
                              "Pango font description, such as \"Noto Sans Bold\". A size in it is in pixels "
                              "for a frame of 1080 lines and scales with the frame",
                              defaults.font.c_str(), kLive));
  install(kPropScale,
          g_param_spec_double("scale", "Scale", "Scale factor of the drawing (1 = normal size for the frame)", 0.1, 10,
                              defaults.scale, kControllable));
  install(kPropOpacity, g_param_spec_double("opacity", "Opacity", "Opacity of the drawing (0 = invisible)", 0, 1,
                                            defaults.opacity, kControllable));
  install(kPropMaxLines, g_param_spec_int("max-lines", "Max Lines", "Maximum number of labels in the panel", 1, 1000,
                                          defaults.max_lines, kControllable));
  install(kPropShow,
          g_param_spec_flags("show", "Show", "What to draw besides the names", show_type(), defaults.show, kLive));
  install(kPropCompare, g_param_spec_boolean("compare", "Compare", "Show plain CLIP and the result side by side",
                                             defaults.compare, kControllable));
  install(kPropDimAfter, g_param_spec_uint64("dim-after", "Dim After",
                                             "Nanoseconds after which a held result is drawn dimmed (0 = at once)", 0,
                                             G_MAXUINT64, defaults.dim_after, kLive));
  install(kPropStats, g_param_spec_boxed("stats", "Statistics", "Counters since start", GST_TYPE_STRUCTURE, kReadOnly));
}

bool set_setting(Settings& s, guint id, const GValue* value) {
  switch (id) {
    case kPropEnabled:
      s.enabled = g_value_get_boolean(value);
      break;
    case kPropPosition:
      s.position = gst::choice<Position>(value);
      break;
    case kPropFont: {
      const char* font = g_value_get_string(value);
      s.font = font && *font ? font : Settings().font;
      break;
    }
    case kPropScale:
      s.scale = g_value_get_double(value);
      break;
    case kPropOpacity:
      s.opacity = g_value_get_double(value);
      break;
    case kPropMaxLines:
      s.max_lines = g_value_get_int(value);
      break;
    case kPropShow:
      s.show = g_value_get_flags(value);
      break;
    case kPropCompare:
      s.compare = g_value_get_boolean(value);
      break;
    case kPropDimAfter:
      s.dim_after = g_value_get_uint64(value);
      break;
    default:
      return false;
  }
  return true;
}

bool get_setting(const Settings& s, guint id, GValue* value) {
  switch (id) {
    case kPropEnabled:
      g_value_set_boolean(value, s.enabled);
      break;
    case kPropPosition:
      gst::set_choice(value, s.position);
      break;
    case kPropFont:
      g_value_set_string(value, s.font.c_str());
      break;
    case kPropScale:
      g_value_set_double(value, s.scale);
      break;
    case kPropOpacity:
      g_value_set_double(value, s.opacity);
      break;
    case kPropMaxLines:
      g_value_set_int(value, s.max_lines);
      break;
    case kPropShow:
      g_value_set_flags(value, s.show);
      break;
    case kPropCompare:
      g_value_set_boolean(value, s.compare);
      break;
    case kPropDimAfter:
      g_value_set_uint64(value, s.dim_after);
      break;
    default:
      return false;
  }
  return true;
}

}  // namespace bcp::overlay
