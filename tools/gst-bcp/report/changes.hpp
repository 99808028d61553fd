// SPDX-License-Identifier: LGPL-2.1-or-later
// What the correction changed in a stream, label by label, and which changes may be wrong. Exact counts over all
// results, independent of the steps of the timeline.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gst-bcp/report/results.hpp"

namespace bcp::cli::report {

inline constexpr float kSure = 0.5f;       // plain CLIP is confident of a label from here on
inline constexpr double kFewSamples = 20;  // with fewer, the statistics are unreliable
inline constexpr double kNear = 1;         // seconds that an object usually stays visible

// The anchor under which changes of a label happened. -1: unknown.
struct Cause {
  int anchor = -1;
  std::size_t count = 0;
  double correction = 0;  // mean over those changes
};

// Why presence showed or did not show a label: means over the changes of one kind whose lines have the reason.
struct Reasons {
  std::size_t count = 0;  // 0: no line gives it
  double probability = 0, prior = 0, evidence = 0;
  int context = -1;  // the most frequent context word that matched better; -1: none
  std::size_t context_count = 0;
};

// Changes that contradict the results around them.
struct Oddity {
  std::size_t count = 0;
  std::size_t moment = 0;  // of the one with the highest probability
  float probability = 0;
  void add(std::size_t at, float value);
};

// A result in which a label was added or removed.
struct Example {
  std::size_t moment = 0;  // Stream::moments
  Score score;
};

struct LabelChange {
  std::uint16_t label = 0;
  std::size_t kept = 0, added = 0, removed = 0;  // results
  std::size_t sure_removed = 0;                  // of the removed: those where plain CLIP was confident
  Oddity torn;     // removed, where both plain CLIP and the corrected labels show it within kNear before or after
  Oddity flashed;  // added, in a single result between two without it, within kNear
  std::size_t switches = 0, plain_switches = 0;  // times it went on or off, after the correction and before
  double seconds = 0, plain_seconds = 0;         // shown
  double correction = 0;                         // mean over the changed results; NaN: none changed, or unknown
  std::vector<Cause> added_by, removed_by;       // most frequent first, at most three
  Reasons added_why, removed_why;
  double prior = 0, evidence = 0;  // means over the changed results; NaN: not decided by presence
  std::vector<Example> examples;   // of both kinds, by time: the largest changes, apart in time
};

struct Changes {
  std::vector<LabelChange> labels;  // those ever shown, by either; longest shown first
  std::size_t changed = 0;          // results in which a label was added or removed
  std::size_t emptied = 0;          // results without any label left
  std::size_t unsettled = 0;        // changed results with fewer than kFewSamples learnt
  std::size_t anchored = 0;         // results with an anchor
  std::size_t unanchored = 0;       // corrected results without one: by a method that has no anchors
  std::size_t switches = 0, plain_switches = 0;
  std::size_t presence = 0;      // results decided by presence
  std::size_t uncalibrated = 0;  // of these, those that are not calibrated
  std::size_t explained = 0;     // results with a context word that matches best
  int context = -1;              // the most frequent one
  double watched = 0;            // seconds covered by results, gaps left out
};

// REQUIRES: lay_out() has been called.
Changes find_changes(const Stream& stream, std::size_t labels);

}  // namespace bcp::cli::report
