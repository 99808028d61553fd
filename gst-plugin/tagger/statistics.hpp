// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The counters and timings of a tagger, returned by its `stats` property.
//
// Plain fields, and functions where one event changes several. All are O(1), except for the labels that a result shows,
// and called with the lock held; to_structure() computes percentiles and rates, on a copy.
//
// Thread safety: none; the element keeps it Guarded.

#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <optional>
#include <string>

#include "prior/learnt.hpp"
#include "tagger/recent_labels.hpp"
#include "tagger/timing.hpp"

namespace bcp::tagger {

// The time for one result, in milliseconds.
struct ResultTimes {
  std::optional<double> wait;  // from the sink pad to the worker; not set in sync mode
  double preprocess = 0;       // map, crop, scale, normalise
  double inference = 0;        // the model, with the wait for a shared model
  double adapt = 0;            // score, correct, learn, decide, create the result
};

struct Statistics {
  std::uint64_t frames = 0;           // received while enabled
  std::uint64_t scored = 0;           // results of whole frames
  std::uint64_t held = 0;             // frames that carry an earlier result
  std::uint64_t dropped = 0;          // results on no frame: replaced by a newer one, flushed, or too late for EOS
  std::uint64_t qos_skipped = 0;      // of held: not scored because the pipeline was late
  std::uint64_t static_skipped = 0;   // due frames that were not scored because the picture had not changed
  std::uint64_t faults = 0;           // frames or settings that failed
  std::uint64_t regions_scored = 0;   // results of regions
  std::uint64_t regions_skipped = 0;  // regions over max-regions, or too small
  double samples = 0;                 // learnt; in a prior-group, by all elements with the same labels
  unsigned labels = 0;                // number of requested labels
  unsigned active = 0;                // labels shown in the newest result
  const char* mode = "sync";          // "sync" or "async"; a literal
  const char* decision = "presence";  // the rule in use; a literal
  double threshold = 0;               // in use
  double threshold_off = 0;           // in use
  bool calibrated = false;            // whether the probabilities of the newest result are
  unsigned context_words = 0;         // number of words that compete with the labels
  std::uint64_t taught = 0;           // feedback received, by the whole group
  std::string prior_group;            // empty: no group
  bool fleet_connected = false;       // Redis was reached in the last round
  std::string fleet_node;             // the id of this process in its fleet; empty: no fleet, or not yet
  std::uint64_t fleet_nodes = 0;      // other nodes whose statistics are used
  double fleet_samples = 0;           // of these nodes; part of samples
  std::uint64_t fleet_bytes = 0;      // sent to and received from Redis
  double prior_loaded = 0;            // samples in the prior-file at start
  double prior_saved = 0;             // samples at the last save
  std::uint64_t prior_saves = 0;      // successful saves
  std::uint64_t prior_saved_at = 0;   // seconds since 1970; 0: never
  double base_samples = 0;            // samples of prior-base, before its limit
  unsigned scene = 0;                 // the number of the current scene; 0: scenes are not distinguished
  unsigned scenes = 0;                // known scenes
  std::uint64_t scene_changes = 0;
  std::string provider, precision;  // in use
  std::string processor;            // CPU features for inference: "avx2 avx512f avx512_bf16"
  int threads = 0;
  Timing wait, preprocess, inference, adapt;
  Timing age;                            // of the labels when attached: 0 on the frame they were scored from
  std::uint64_t runs = 0, pictures = 0;  // runs of the model with a picture of this stream; all pictures in these runs
  Rate frame_rate, score_rate;
  RecentLabels recent_labels;                 // of frames
  std::shared_ptr<GstBcpLabels> label_names;  // in use; null: not started

  // A frame was received.
  void add_frame(Rate::Clock::time_point now = Rate::Clock::now());
  // A frame was scored; its result shows `shown` labels.
  void add_result(const ResultTimes& times, unsigned shown, Rate::Clock::time_point now = Rate::Clock::now());
  // The model ran on `batch` pictures at once, of this stream and others.
  void add_run(std::uint64_t batch);
  // A frame was sent with labels of this age; GST_CLOCK_TIME_NONE: unknown.
  void add_attached(bool fresh, GstClockTime label_age);

  void set_scene(const prior::Learnt::SceneState& state);

  // A new structure, owned by the caller. Computes percentiles: call it on a copy, without the lock.
  GstStructure* to_structure(Rate::Clock::time_point now = Rate::Clock::now()) const;
};

// Logs the times of a result as a GstStructure, in the category bcptagger at level LOG. Costs one comparison if that
// level is off.
void log_result(GstElement* element, GstClockTime pts, const ResultTimes& times, unsigned shown);

}  // namespace bcp::tagger
