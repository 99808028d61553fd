// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/messages.hpp"

#include <cmath>
#include <optional>

namespace bcp::tagger {
namespace {

const char* name_of(GstBcpDecision decision) {
  return decision == GST_BCP_DECISION_PRESENCE ? "presence" : "softmax";
}

void set_time(GstStructure* message, const char* field, std::optional<double> seconds) {
  if (!seconds || *seconds < 0) return;  // GstClockTime cannot be negative
  gst_structure_set(message, field, GST_TYPE_CLOCK_TIME, static_cast<GstClockTime>(std::llround(*seconds * GST_SECOND)),
                    nullptr);
}

GstStructure* label_of(const GstBcpResult* result, guint k) {
  return gst_structure_new(
      "label", "name", G_TYPE_STRING, gst_bcp_labels_get_name(gst_bcp_result_get_labels(result), k), "probability",
      G_TYPE_DOUBLE, gst_bcp_result_get_probability(result, k), "softmax", G_TYPE_DOUBLE,
      gst_bcp_result_get_softmax(result, k), "zero-shot-softmax", G_TYPE_DOUBLE,
      gst_bcp_result_get_zero_shot_softmax(result, k), "prior", G_TYPE_DOUBLE, gst_bcp_result_get_prior(result, k),
      "evidence", G_TYPE_DOUBLE, gst_bcp_result_get_evidence(result, k), "logit", G_TYPE_DOUBLE,
      gst_bcp_result_get_logit(result, k), "zero-shot", G_TYPE_DOUBLE, gst_bcp_result_get_zero_shot(result, k),
      "correction", G_TYPE_DOUBLE, gst_bcp_result_get_correction(result, k), nullptr);
}

void post_element(GstElement* element, GstStructure* structure) {
  gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), structure));
}

void post_prior_read(GstElement* element, const char* name, const std::string& path, double samples,
                     const LabelsMatched& labels) {
  post_element(element, gst_structure_new(name, "path", G_TYPE_STRING, path.c_str(), "samples", G_TYPE_DOUBLE, samples,
                                          "kept", G_TYPE_UINT, static_cast<guint>(labels.kept), "new", G_TYPE_UINT,
                                          static_cast<guint>(labels.added), "dropped", G_TYPE_UINT,
                                          static_cast<guint>(labels.dropped), nullptr));
}

}  // namespace

void post_labels_active(GstElement* element, unsigned serial, std::size_t count) {
  post_element(element, gst_structure_new("bcp-labels-active", "serial", G_TYPE_UINT, serial, "count", G_TYPE_UINT,
                                          static_cast<guint>(count), nullptr));
}

void post_labels_progress(GstElement* element, unsigned serial, std::size_t done, std::size_t total) {
  post_element(element,
               gst_structure_new("bcp-labels-progress", "serial", G_TYPE_UINT, serial, "done", G_TYPE_UINT,
                                 static_cast<guint>(done), "total", G_TYPE_UINT, static_cast<guint>(total), nullptr));
}

void post_result(GstElement* element, const GstBcpResult* result, GstClockTime stream_time) {
  const GstBcpLabels* labels = gst_bcp_result_get_labels(result);
  const gint anchor = gst_bcp_result_get_anchor(result);
  GstStructure* message = gst_structure_new(
      "bcp-result", "source-id", G_TYPE_STRING, gst_bcp_result_get_source_id(result), "timestamp", GST_TYPE_CLOCK_TIME,
      gst_bcp_result_get_pts(result), "stream-time", GST_TYPE_CLOCK_TIME, stream_time, "region", G_TYPE_INT,
      gst_bcp_result_get_region_id(result), "decision", G_TYPE_STRING, name_of(gst_bcp_result_get_decision(result)),
      "threshold", G_TYPE_DOUBLE, gst_bcp_result_get_threshold(result), "calibrated", G_TYPE_BOOLEAN,
      gst_bcp_result_is_calibrated(result), "context", G_TYPE_STRING, gst_bcp_result_get_context(result),
      "context-weight", G_TYPE_DOUBLE, gst_bcp_result_get_context_weight(result), "anchor", G_TYPE_STRING,
      anchor < 0 ? nullptr : gst_bcp_labels_get_name(labels, static_cast<guint>(anchor)), "anchor-probability",
      G_TYPE_DOUBLE, gst_bcp_result_get_anchor_probability(result), "samples", G_TYPE_DOUBLE,
      gst_bcp_result_get_samples(result), nullptr);
  GValue array = G_VALUE_INIT;
  gst_value_array_init(&array, 4);
  for (guint k = 0; k < gst_bcp_labels_get_size(labels); ++k) {
    if (!gst_bcp_result_is_shown(result, k)) continue;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed(&value, label_of(result, k));
    gst_value_array_append_and_take_value(&array, &value);
  }
  gst_structure_take_value(message, "labels", &array);
  post_element(element, message);
}

void post_event(GstElement* element, const decide::Event& event, const char* source_id, GstClockTime stream_time) {
  GstStructure* message = gst_structure_new(
      "bcp-event", "source-id", G_TYPE_STRING, source_id, "event", G_TYPE_STRING, event.on ? "label-on" : "label-off",
      "label", G_TYPE_STRING, event.label.c_str(), "stream-time", GST_TYPE_CLOCK_TIME, stream_time, "probability",
      G_TYPE_DOUBLE, event.probability, "peak", G_TYPE_DOUBLE, event.peak, "mean", G_TYPE_DOUBLE, event.mean, nullptr);
  set_time(message, "start", event.start);
  set_time(message, "end", event.end);
  set_time(message, "duration", event.duration);
  post_element(element, message);
}

void post_prior_loaded(GstElement* element, const std::string& path, double samples, const LabelsMatched& labels) {
  post_prior_read(element, "bcp-prior-loaded", path, samples, labels);
}

void post_prior_merged(GstElement* element, const std::string& path, double samples, const LabelsMatched& labels) {
  post_prior_read(element, "bcp-prior-merged", path, samples, labels);
}

void post_scene(GstElement* element, const prior::SceneChange& change, const char* source_id,
                GstClockTime stream_time) {
  GstStructure* message =
      gst_structure_new("bcp-scene", "source-id", G_TYPE_STRING, source_id, "scene", G_TYPE_UINT, change.to, "previous",
                        G_TYPE_UINT, change.from, "new", G_TYPE_BOOLEAN, change.is_new, "scenes", G_TYPE_UINT,
                        static_cast<guint>(change.scenes), nullptr);
  if (GST_CLOCK_TIME_IS_VALID(stream_time))
    gst_structure_set(message, "stream-time", GST_TYPE_CLOCK_TIME, stream_time, nullptr);
  post_element(element, message);
}

void post_prior_saved(GstElement* element, const std::string& path, double samples, std::size_t labels) {
  post_element(element,
               gst_structure_new("bcp-prior-saved", "path", G_TYPE_STRING, path.c_str(), "samples", G_TYPE_DOUBLE,
                                 samples, "labels", G_TYPE_UINT, static_cast<guint>(labels), nullptr));
}

}  // namespace bcp::tagger
