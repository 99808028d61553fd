// SPDX-License-Identifier: LGPL-2.1-or-later
// A stream as steps in time, few enough to draw: a step is one result, or neighbouring ones added up.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gst-bcp/report/results.hpp"

namespace bcp::cli::report {

// What the results of one step say about one label.
struct Cell {
  std::uint16_t label = 0;
  std::uint16_t kept = 0, added = 0, removed = 0;  // results in which it was shown by both, by one, by the other
  float probability = 0, plain_probability = 0;    // means of what was told; NaN: nothing was
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
  float context_weight = 0;          // mean of the most frequent one's
  double samples = 0;                // learnt until its end
  std::size_t first = 0, count = 0;  // its cells, in Timeline::cells
};

struct Timeline {
  std::vector<Step> steps;
  std::vector<Cell> cells;
  std::size_t most_results = 0;  // in one step; 1: nothing was added up
};

struct TimelineLimits {
  std::size_t steps = 6000, cells = 120'000;
};

// Steps never reach across a gap, so there are a few more than `limits` allow where there are many gaps.
// REQUIRES: lay_out() has been called.
Timeline make_timeline(const Stream& stream, std::size_t labels, const TimelineLimits& limits);

}  // namespace bcp::cli::report
