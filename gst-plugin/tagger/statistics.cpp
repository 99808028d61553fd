// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/statistics.hpp"

#include "support/owners.hpp"

namespace bcp::tagger {
namespace {

void add_timing(GstStructure* structure, const char* stage, const Timing& timing) {
  const std::string name = stage;
  gst_structure_set(structure, (name + "-count").c_str(), G_TYPE_UINT64, timing.count(), (name + "-mean-ms").c_str(),
                    G_TYPE_DOUBLE, timing.mean(), (name + "-p50-ms").c_str(), G_TYPE_DOUBLE, timing.p50(),
                    (name + "-p99-ms").c_str(), G_TYPE_DOUBLE, timing.p99(), nullptr);
}

// The debug category of the element, created when the plugin was loaded.
GstDebugCategory* tagger_category() {
  static GstDebugCategory* const category = [] {
    GstDebugCategory* found = nullptr;
    GST_DEBUG_CATEGORY_GET(found, "bcptagger");
    return found;
  }();
  return category;
}

}  // namespace

void Statistics::add_frame(Rate::Clock::time_point now) {
  ++frames;
  frame_rate.add(now);
}

void Statistics::add_result(const ResultTimes& times, unsigned shown, Rate::Clock::time_point now) {
  ++scored;
  active = shown;
  score_rate.add(now);
  if (times.wait) wait.add(*times.wait);
  preprocess.add(times.preprocess);
  inference.add(times.inference);
  adapt.add(times.adapt);
}

void Statistics::add_run(std::uint64_t batch) {
  ++runs;
  pictures += batch;
}

void Statistics::add_attached(bool fresh, GstClockTime label_age) {
  held += fresh ? 0 : 1;
  if (GST_CLOCK_TIME_IS_VALID(label_age)) age.add(static_cast<double>(label_age) / GST_MSECOND);
}

void Statistics::set_scene(const prior::Learnt::SceneState& state) {
  scene = state.id;
  scenes = static_cast<unsigned>(state.count);
  scene_changes = state.changes;
}

GstStructure* Statistics::to_structure(Rate::Clock::time_point now) const {
  const double batch = runs > 0 ? static_cast<double>(pictures) / static_cast<double>(runs) : 0;
  GstStructure* structure = gst_structure_new(
      "bcp-stats", "frames", G_TYPE_UINT64, frames, "scored", G_TYPE_UINT64, scored, "held", G_TYPE_UINT64, held,
      "dropped", G_TYPE_UINT64, dropped, "qos-skipped", G_TYPE_UINT64, qos_skipped, "static-skipped", G_TYPE_UINT64,
      static_skipped, "faults", G_TYPE_UINT64, faults, "regions-scored", G_TYPE_UINT64, regions_scored,
      "regions-skipped", G_TYPE_UINT64, regions_skipped, "samples", G_TYPE_DOUBLE, samples, "labels", G_TYPE_UINT,
      labels, "active", G_TYPE_UINT, active, "mode", G_TYPE_STRING, mode, "decision", G_TYPE_STRING, decision,
      "threshold", G_TYPE_DOUBLE, threshold, "threshold-off", G_TYPE_DOUBLE, threshold_off, "calibrated",
      G_TYPE_BOOLEAN, calibrated, "context-words", G_TYPE_UINT, context_words, "taught", G_TYPE_UINT64, taught,
      "prior-group", G_TYPE_STRING, prior_group.c_str(), "fleet-connected", G_TYPE_BOOLEAN, fleet_connected,
      "fleet-node", G_TYPE_STRING, fleet_node.c_str(), "fleet-nodes", G_TYPE_UINT64, fleet_nodes, "fleet-samples",
      G_TYPE_DOUBLE, fleet_samples, "fleet-bytes", G_TYPE_UINT64, fleet_bytes, "prior-loaded", G_TYPE_DOUBLE,
      prior_loaded, "prior-saved", G_TYPE_DOUBLE, prior_saved, "prior-saves", G_TYPE_UINT64, prior_saves,
      "prior-saved-at", G_TYPE_UINT64, prior_saved_at, "base-samples", G_TYPE_DOUBLE, base_samples, "scene",
      G_TYPE_UINT, scene, "scenes", G_TYPE_UINT, scenes, "scene-changes", G_TYPE_UINT64, scene_changes, "provider",
      G_TYPE_STRING, provider.c_str(), "precision", G_TYPE_STRING, precision.c_str(), "processor", G_TYPE_STRING,
      processor.c_str(), "threads", G_TYPE_INT, threads, "batch", G_TYPE_DOUBLE, batch, "frames-per-second",
      G_TYPE_DOUBLE, frame_rate.per_second(now), "scored-per-second", G_TYPE_DOUBLE, score_rate.per_second(now),
      nullptr);
  add_timing(structure, "wait", wait);
  add_timing(structure, "preprocess", preprocess);
  add_timing(structure, "inference", inference);
  add_timing(structure, "adapt", adapt);
  add_timing(structure, "age", age);
  GValue recent = G_VALUE_INIT;
  recent_labels.to_array(recent, now);
  gst_structure_take_value(structure, "recent-labels", &recent);
  return structure;
}

void log_result(GstElement* element, GstClockTime pts, const ResultTimes& times, unsigned shown) {
  GstDebugCategory* category = tagger_category();
  if (!category || gst_debug_category_get_threshold(category) < GST_LEVEL_LOG) return;
  const gst::StructurePtr line(gst_structure_new(
      "bcp-result", "pts", GST_TYPE_CLOCK_TIME, pts, "preprocess-ms", G_TYPE_DOUBLE, times.preprocess, "inference-ms",
      G_TYPE_DOUBLE, times.inference, "adapt-ms", G_TYPE_DOUBLE, times.adapt, "active", G_TYPE_UINT, shown, nullptr));
  if (times.wait) gst_structure_set(line.get(), "wait-ms", G_TYPE_DOUBLE, *times.wait, nullptr);
  GST_CAT_LOG_OBJECT(category, element, "%" GST_PTR_FORMAT, static_cast<void*>(line.get()));
}

}  // namespace bcp::tagger
