// SPDX-License-Identifier: LGPL-2.1-or-later

#include "gate/messages.hpp"

namespace bcp::gate {
namespace {

void post_structure(GstElement* element, GstStructure* message, const Labels& labels) {
  GValue array = G_VALUE_INIT;
  gst_value_array_init(&array, static_cast<guint>(labels.size()));
  for (const gst::LabelShown& label : labels) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed(&value, gst_structure_new("label", "name", G_TYPE_STRING, label.name.c_str(), "probability",
                                                 G_TYPE_DOUBLE, label.probability, nullptr));
    gst_value_array_append_and_take_value(&array, &value);
  }
  gst_structure_take_value(message, "labels", &array);
  gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), message));
}

GstStructure* message_of(const char* name, const std::string& source, const std::string& condition,
                         const Position& at) {
  return gst_structure_new(name, "source-id", G_TYPE_STRING, source.empty() ? nullptr : source.c_str(), "condition",
                           G_TYPE_STRING, condition.c_str(), "stream-time", GST_TYPE_CLOCK_TIME, at.stream_time,
                           "running-time", GST_TYPE_CLOCK_TIME, at.running_time, nullptr);
}

}  // namespace

Position position_of(GstClockTime pts, const GstSegment& segment) {
  if (!GST_CLOCK_TIME_IS_VALID(pts) || segment.format != GST_FORMAT_TIME) return {};
  return {gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, pts),
          gst_segment_to_running_time(&segment, GST_FORMAT_TIME, pts)};
}

void post_opened(GstElement* element, const std::string& source, const std::string& condition, const Position& at,
                 const Position& first, const Labels& labels) {
  GstStructure* message = message_of("bcp-gate-opened", source, condition, at);
  gst_structure_set(message, "first-stream-time", GST_TYPE_CLOCK_TIME, first.stream_time, "first-running-time",
                    GST_TYPE_CLOCK_TIME, first.running_time, nullptr);
  post_structure(element, message, labels);
}

void post_closed(GstElement* element, const std::string& source, const std::string& condition, const Position& at,
                 const char* reason, GstClockTime duration, const Labels& labels) {
  GstStructure* message = message_of("bcp-gate-closed", source, condition, at);
  gst_structure_set(message, "reason", G_TYPE_STRING, reason, "duration", GST_TYPE_CLOCK_TIME, duration, nullptr);
  post_structure(element, message, labels);
}

}  // namespace bcp::gate
