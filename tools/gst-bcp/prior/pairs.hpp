// SPDX-License-Identifier: LGPL-2.1-or-later
// Which labels a prior has found together more often than chance would have it, and which less often.

#pragma once

#include <cstddef>
#include <vector>

#include "adapt/cooccurrence.hpp"

namespace bcp::cli {

struct Pair {
  std::size_t a, b;       // a before b in the list of labels
  double seen, expected;  // samples in which both were there: as learnt, and if the labels knew nothing of each other
  double information;     // log(seen / expected): what the correction adds to one when the other is the anchor
};

struct StrongestPairs {
  std::vector<Pair> together;  // most information first
  std::vector<Pair> apart;     // least information first
};

// At most `count` of each. A pair counts if it was seen, or would have been expected, in `support` samples at least:
// below, it is chance. REQUIRES: support > 0.
StrongestPairs strongest_pairs(const adapt::Cooccurrence& seen, std::size_t count, double support);

}  // namespace bcp::cli
