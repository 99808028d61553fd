// SPDX-License-Identifier: LGPL-2.1-or-later
// A stream as steps in time, few enough to draw: a step is one result, or several neighbouring ones combined.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gst-bcp/report/results.hpp"

namespace bcp::cli::report {

// One label in the results of one step.
struct Cell {
  std::uint16_t label = 0;
  std::uint16_t kept = 0, added = 0, removed = 0;  // results in which it was shown by both, by one, by the other
  float probability = 0, plain_probability = 0;    // means of the known values; NaN: none known
  float correction = 0;
  float prior = 0, evidence = 0;
};

struct Step {
  double time = 0, until = 0;
  double pts = 0;  // of its first result; NaN: none
  std::uint16_t results = 0;
  std::uint16_t anchored = 0;  // results with an anchor
  std::uint16_t changed = 0;   // results in which a label was added or removed
  int anchor = -1;             // the most frequent one
  float anchor_probability = 0;
  float threshold = 0;               // of its last result; NaN: unknown
  int context = -1;                  // the most frequent one
  std::uint16_t explained = 0;       // results with a context word
  float context_weight = 0;          // mean weight of the most frequent one
  double samples = 0;                // learnt until its end
  std::size_t first = 0, count = 0;  // its cells, in Timeline::cells
};

struct Timeline {
  std::vector<Step> steps;
  std::vector<Cell> cells;
  std::size_t most_results = 0;  // in one step; 1: none were combined
};

struct TimelineLimits {
  std::size_t steps = 6000, cells = 120'000;
};

// Steps never cross a gap, so many gaps may add a few more steps than `limits` allow.
// REQUIRES: lay_out() has been called.
Timeline make_timeline(const Stream& stream, std::size_t labels, const TimelineLimits& limits);

}  // namespace bcp::cli::report
