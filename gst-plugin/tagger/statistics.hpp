// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a tagger has done so far: the numbers behind its `stats` property.
//
// Thread safety: none; the element keeps it Guarded.

#pragma once

#include <gst/gst.h>

#include <array>
#include <cstdint>
#include <string>

namespace bcp::gst {

// Durations of one stage: the mean over all, and the 99th percentile of the last few hundred.
class Timing {
 public:
  void add(double milliseconds);
  double mean() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : 0; }
  double p99() const;

 private:
  std::array<double, 512> recent_{};
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

struct Statistics {
  std::uint64_t frames = 0;           // that came in while enabled
  std::uint64_t scored = 0;           // results made
  std::uint64_t held = 0;             // frames that carry an earlier result
  std::uint64_t qos_skipped = 0;      // of these: not scored because the pipeline was late
  std::uint64_t dropped = 0;          // results that no frame came for
  std::uint64_t regions_scored = 0;   // results made, of regions
  std::uint64_t regions_skipped = 0;  // regions past max-regions, or too small
  std::uint64_t faults = 0;           // frames or settings that failed
  double samples = 0;                 // learnt; in a prior-group, by all with the same labels
  unsigned labels = 0;
  std::string prior_group;           // empty: none
  double prior_loaded = 0;           // samples the prior-file held at start
  double prior_saved = 0;            // samples at the last save
  std::uint64_t prior_saves = 0;     // that succeeded
  std::uint64_t prior_saved_at = 0;  // seconds since 1970; 0: never
  const char* mode = "sync";
  std::string provider;
  int threads = 0;
  Timing preprocess, inference, adapt;

  // A new structure, owned by the caller.
  GstStructure* to_structure() const;
};

}  // namespace bcp::gst
