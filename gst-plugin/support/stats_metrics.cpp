// SPDX-License-Identifier: LGPL-2.1-or-later

#include "support/stats_metrics.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace bcp::gst {
namespace {

struct Number {
  const char* field;
  prometheus::Family family;
};

constexpr Number kCounters[] = {
    {"frames", {"bcp_frames_total", "Frames received."}},
    {"scored", {"bcp_frames_scored_total", "Frames scored."}},
    {"held", {"bcp_frames_held_total", "Frames that carry an earlier result."}},
    {"qos-skipped", {"bcp_frames_qos_skipped_total", "Frames not scored because the pipeline was late."}},
    {"static-skipped",
     {"bcp_frames_static_skipped_total", "Due frames not scored because the picture had not changed."}},
    {"dropped", {"bcp_results_dropped_total", "Results that were not attached to any frame."}},
    {"faults", {"bcp_faults_total", "Frames, settings and writes that failed."}},
    {"regions-scored", {"bcp_regions_scored_total", "Regions scored."}},
    {"regions-skipped", {"bcp_regions_skipped_total", "Regions not scored: too small, or more than max-regions."}},
    {"taught", {"bcp_taught_statements_total", "Feedback from people that changed presence probabilities."}},
    {"fleet-bytes", {"bcp_fleet_bytes_total", "Bytes sent to and received from Redis."}},
    {"scene-changes", {"bcp_scene_changes_total", "Changes from one scene to another."}},
    {"prior-saves", {"bcp_prior_saves_total", "Successful saves of the learnt statistics."}},
};

constexpr Number kGauges[] = {
    {"samples", {"bcp_samples_learnt", "Learnt samples that the correction is based on."}},
    {"labels", {"bcp_labels", "Labels requested."}},
    {"active", {"bcp_labels_active", "Labels shown in the newest result."}},
    {"context-words", {"bcp_context_words", "Words that compete with the labels and are never shown."}},
    {"threshold", {"bcp_threshold", "Probability from which a label is shown."}},
    {"batch", {"bcp_batch_pictures", "Mean number of pictures in a run of the model."}},
    {"fleet-connected", {"bcp_fleet_connected", "Whether Redis was reached in the last round; 0 without a fleet."}},
    {"fleet-nodes", {"bcp_fleet_nodes", "Other nodes of the fleet whose statistics are used."}},
    {"fleet-samples", {"bcp_fleet_samples", "Learnt samples of these nodes."}},
    {"scene", {"bcp_scene", "The number of the current scene; 0: scenes are not distinguished."}},
    {"scenes", {"bcp_scenes", "Known scenes."}},
    {"base-samples", {"bcp_base_samples", "Learnt samples in prior-base, before its limit."}},
    {"prior-saved-at",
     {"bcp_prior_saved_timestamp_seconds", "Unix time of the last save of the learnt statistics; 0: never."}},
};

// Percentiles are of the last few hundred samples, sum and count are of all samples.
constexpr Number kTimings[] = {
    {"wait", {"bcp_wait_seconds", "From the sink pad to the worker, in async mode."}},
    {"preprocess", {"bcp_preprocess_seconds", "From a frame to the model's input."}},
    {"inference", {"bcp_inference_seconds", "The model, with the wait for a shared model."}},
    {"adapt", {"bcp_adapt_seconds", "Scoring, correcting, learning, deciding."}},
    {"age", {"bcp_label_age_seconds", "Age of the labels on a frame."}},
};

std::optional<double> number_in(const GstStructure* stats, const std::string& field) {
  const GValue* value = gst_structure_get_value(stats, field.c_str());
  if (value && G_VALUE_HOLDS_BOOLEAN(value)) return g_value_get_boolean(value) ? 1 : 0;  // GLib does not convert these
  GValue number = G_VALUE_INIT;
  g_value_init(&number, G_TYPE_DOUBLE);
  if (!value || !g_value_transform(value, &number)) return std::nullopt;
  return g_value_get_double(&number);
}

void add_timing(prometheus::Exposition& exposition, const Number& timing, const prometheus::Labels& labels,
                const GstStructure* stats) {
  const std::string stage = timing.field;
  const std::optional<double> count = number_in(stats, stage + "-count"), mean = number_in(stats, stage + "-mean-ms"),
                              p50 = number_in(stats, stage + "-p50-ms"), p99 = number_in(stats, stage + "-p99-ms");
  if (!count || !mean || !p50 || !p99) return;
  // NaN without samples: 0 would read as a measured time. Rounds to nanoseconds, the resolution of the clock.
  const auto seconds = [&](double milliseconds) {
    return *count > 0 ? std::round(milliseconds * 1e6) / 1e9 : std::numeric_limits<double>::quiet_NaN();
  };
  const std::array quantiles{prometheus::Quantile{0.5, seconds(*p50)}, prometheus::Quantile{0.99, seconds(*p99)}};
  exposition.summary(timing.family, labels, quantiles, *mean * *count * 1e-3, static_cast<std::uint64_t>(*count));
}

// The labels of the last hour: whether each is shown, and how likely it is.
void add_labels(prometheus::Exposition& exposition, const std::string& source, const GstStructure* stats) {
  const GValue* labels = gst_structure_get_value(stats, "recent-labels");
  if (!labels || !GST_VALUE_HOLDS_ARRAY(labels)) return;
  std::set<std::string> names_taken;  // a list may have a label twice, and a text no series
  for (guint i = 0; i < gst_value_array_get_size(labels); ++i) {
    const GstStructure* label = gst_value_get_structure(gst_value_array_get_value(labels, i));
    const gchar* name = gst_structure_get_string(label, "name");
    gboolean shown = FALSE;
    double probability = 0;
    if (!name || !gst_structure_get_boolean(label, "shown", &shown) ||
        !gst_structure_get_double(label, "probability", &probability) || !names_taken.insert(name).second)
      continue;
    const prometheus::Labels names{{"source", source}, {"label", name}};
    exposition.gauge({"bcp_label_shown", "Whether a label is shown; of labels shown in the last hour."}, names, shown);
    exposition.gauge({"bcp_label_probability", "How likely a label is present; of labels shown in the last hour."},
                     names, probability);
  }
}

}  // namespace

std::string SourceNames::take(const std::string& source) {
  std::string name = source;
  for (int i = 2; !taken_.insert(name).second; ++i) name = source + " (" + std::to_string(i) + ")";
  return name;
}

void add_stats(prometheus::Exposition& exposition, const std::string& source, const GstStructure* stats) {
  const prometheus::Labels labels{{"source", source}};
  for (const Number& counter : kCounters) {
    if (const auto value = number_in(stats, counter.field)) exposition.counter(counter.family, labels, *value);
  }
  for (const Number& gauge : kGauges) {
    if (const auto value = number_in(stats, gauge.field)) exposition.gauge(gauge.family, labels, *value);
  }
  for (const Number& timing : kTimings) add_timing(exposition, timing, labels, stats);
  add_labels(exposition, source, stats);
  const gchar* mode = gst_structure_get_string(stats, "mode");
  const gchar* provider = gst_structure_get_string(stats, "provider");
  const gchar* precision = gst_structure_get_string(stats, "precision");
  const gchar* decision = gst_structure_get_string(stats, "decision");
  exposition.gauge({"bcp_stream_info", "Settings of the stream, as labels; always 1."},
                   {{"source", source},
                    {"mode", mode ? mode : ""},
                    {"provider", provider ? provider : ""},
                    {"precision", precision ? precision : ""},
                    {"decision", decision ? decision : ""}},
                   1);
}

}  // namespace bcp::gst
