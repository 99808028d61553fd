// SPDX-License-Identifier: LGPL-2.1-or-later
// Which labels occur together in a prior more often than by chance, and which less often.

#pragma once

#include <cstddef>
#include <vector>

#include "adapt/cooccurrence.hpp"

namespace bcp::cli {

struct Pair {
  std::size_t a, b;       // a before b in the list of labels
  double seen, expected;  // samples with both: as learnt, and if the labels were independent
  double information;     // log(seen / expected): added to the score of one when the other is the anchor
};

struct StrongestPairs {
  std::vector<Pair> together;  // most information first
  std::vector<Pair> apart;     // least information first
};

// At most `count` of each. A pair counts if it was seen or expected in at least `support` samples: fewer may be
// chance. REQUIRES: support > 0.
StrongestPairs strongest_pairs(const adapt::Cooccurrence& seen, std::size_t count, double support);

// The labels with the largest counts, most first; equal ones in the order of the list.
std::vector<std::size_t> likeliest(const adapt::Cooccurrence& seen, std::size_t count);

// The share of label k in the samples since it was added.
double share_of(const adapt::Cooccurrence& seen, std::size_t k);

}  // namespace bcp::cli
