// SPDX-License-Identifier: LGPL-2.1-or-later

#include "gate/properties.hpp"

#include "support/properties.hpp"

namespace bcp::gate {

using gst::kLive, gst::kReadOnly, gst::set_text, gst::text;

void install_properties(GObjectClass* object_class) {
  const Settings defaults;
  const auto install = [&](Property id, GParamSpec* spec) { g_object_class_install_property(object_class, id, spec); };
  install(kPropCondition,
          g_param_spec_string("condition", "Condition",
                              "Pass buffers while this is true of their labels: person and not car, 'delivery van' or "
                              "truck, person > 0.7, any. An invalid condition is an error at start; later it is a "
                              "warning, and the old condition stays",
                              defaults.condition.c_str(), kLive));
  install(kPropPreRoll,
          g_param_spec_uint64("pre-roll", "Pre-Roll",
                              "Nanoseconds before the condition became true that are passed too. Encoded video begins "
                              "at the last key frame before that",
                              0, G_MAXINT64, defaults.pre_roll, kLive));
  install(kPropPostRoll, g_param_spec_uint64("post-roll", "Post-Roll",
                                             "Nanoseconds that the gate stays open after the condition was last true",
                                             0, G_MAXINT64, defaults.post_roll, kLive));
  install(kPropMaxSizeBytes,
          g_param_spec_uint64("max-size-bytes", "Max Size Bytes",
                              "Bytes that are held for the pre-roll at most (0: no limit). What does not fit makes the "
                              "pre-roll shorter",
                              0, G_MAXUINT64, defaults.max_bytes, kLive));
  install(kPropMaxSizeBuffers, g_param_spec_uint("max-size-buffers", "Max Size Buffers",
                                                 "Buffers that are held for the pre-roll at most (0: no limit)", 0,
                                                 G_MAXUINT, defaults.max_buffers, kLive));
  install(kPropSendGaps,
          g_param_spec_boolean("send-gaps", "Send Gaps",
                               "Send GAP events while the gate is closed, so that sinks and muxers do not wait for "
                               "buffers",
                               defaults.send_gaps, kLive));
  install(kPropOpen,
          g_param_spec_boolean("open", "Open", "Whether the gate is open; changes are notified", FALSE, kReadOnly));
  install(kPropStats, g_param_spec_boxed(
                          "stats", "Statistics",
                          "Since start: buffers passed, dropped and without labels, openings, time open; buffers and "
                          "bytes held now; the condition in force",
                          GST_TYPE_STRUCTURE, kReadOnly));
}

bool set_setting(Settings& s, guint id, const GValue* value) {
  switch (id) {
    case kPropCondition:
      s.condition = text(value);
      return true;
    case kPropPreRoll:
      s.pre_roll = g_value_get_uint64(value);
      return true;
    case kPropPostRoll:
      s.post_roll = g_value_get_uint64(value);
      return true;
    case kPropMaxSizeBytes:
      s.max_bytes = g_value_get_uint64(value);
      return true;
    case kPropMaxSizeBuffers:
      s.max_buffers = g_value_get_uint(value);
      return true;
    case kPropSendGaps:
      s.send_gaps = g_value_get_boolean(value);
      return true;
    default:
      return false;
  }
}

bool get_setting(const Settings& s, guint id, GValue* value) {
  switch (id) {
    case kPropCondition:
      set_text(value, s.condition);
      return true;
    case kPropPreRoll:
      g_value_set_uint64(value, s.pre_roll);
      return true;
    case kPropPostRoll:
      g_value_set_uint64(value, s.post_roll);
      return true;
    case kPropMaxSizeBytes:
      g_value_set_uint64(value, s.max_bytes);
      return true;
    case kPropMaxSizeBuffers:
      g_value_set_uint(value, s.max_buffers);
      return true;
    case kPropSendGaps:
      g_value_set_boolean(value, s.send_gaps);
      return true;
    default:
      return false;
  }
}

}  // namespace bcp::gate
