// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a tagger has done so far: the numbers behind its `stats` property.
//
// What is counted in more than one place at once has a function; the rest are plain fields. All of it is O(1), except
// for the labels that a result shows, and to be called under the lock; percentiles and rates are worked out by
// to_structure(), on a copy.
//
// Thread safety: none; the element keeps it Guarded.

#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <optional>
#include <string>

#include "tagger/recent_labels.hpp"
#include "tagger/timing.hpp"

namespace bcp::tagger {

// What it took to make one result, in milliseconds.
struct ResultTimes {
  std::optional<double> wait;  // from the sink pad to the worker; none in sync mode, where nothing waits
  double preprocess = 0;       // mapped, cropped, scaled, normalised
  double inference = 0;        // the model, with the wait for it where it is shared
  double adapt = 0;            // scored, corrected, learnt, decided, made into a result
};

struct Statistics {
  std::uint64_t frames = 0;           // that came in while enabled
  std::uint64_t scored = 0;           // results made, of frames
  std::uint64_t held = 0;             // frames that carry an earlier result
  std::uint64_t dropped = 0;          // results no frame carried: a newer one, a flush or the end came first
  std::uint64_t qos_skipped = 0;      // of held: not scored because the pipeline was late
  std::uint64_t static_skipped = 0;   // frames that were due and not scored: the picture had not changed
  std::uint64_t faults = 0;           // frames or settings that failed
  std::uint64_t regions_scored = 0;   // results made, of regions
  std::uint64_t regions_skipped = 0;  // regions past max-regions, or too small
  double samples = 0;                 // learnt; in a prior-group, by all with the same labels
  unsigned labels = 0;                // looked for
  unsigned active = 0;                // of these: shown in the newest result
  const char* mode = "sync";          // "sync" or "async"; a literal
  const char* decision = "presence";  // the rule in force; a literal
  double threshold = 0;               // in force
  double threshold_off = 0;           // in force
  bool calibrated = false;            // probabilities of the newest result
  unsigned context_words = 0;         // that compete with the labels
  std::uint64_t taught = 0;           // statements of people, by all of the group
  std::string prior_group;            // empty: none
  double prior_loaded = 0;            // samples the prior-file held at start
  double prior_saved = 0;             // samples at the last save
  std::uint64_t prior_saves = 0;      // that succeeded
  std::uint64_t prior_saved_at = 0;   // seconds since 1970; 0: never
  std::string provider, precision;    // what runs the model, and what its arithmetic is done in
  std::string processor;              // what the processor offers a model: "avx2 avx512f avx512_bf16"
  int threads = 0;
  Timing wait, preprocess, inference, adapt;
  Timing age;                            // of the labels, when they are attached: 0 on the frame they were made of
  std::uint64_t runs = 0, pictures = 0;  // of the model: runs this stream had a part in, and pictures in these
  Rate frame_rate, score_rate;
  RecentLabels recent_labels;  // of frames

  // A frame came in.
  void add_frame(Rate::Clock::time_point now = Rate::Clock::now());
  // A result was made of a frame, and shows so many labels.
  void add_result(const ResultTimes& times, unsigned shown, Rate::Clock::time_point now = Rate::Clock::now());
  // The model ran on so many pictures at once, of this stream and of others.
  void add_run(std::uint64_t batch);
  // A frame was sent on with labels as old as this; GST_CLOCK_TIME_NONE: nobody knows.
  void add_attached(bool fresh, GstClockTime label_age);

  // A new structure, owned by the caller. Works out percentiles: on a copy, outside the lock.
  GstStructure* to_structure(Rate::Clock::time_point now = Rate::Clock::now()) const;
};

// One line in the debug log of bcptagger at level LOG, as a GstStructure: what it took to make the result. Costs a
// comparison where nobody looks.
void log_result(GstElement* element, GstClockTime pts, const ResultTimes& times, unsigned shown);

}  // namespace bcp::tagger
