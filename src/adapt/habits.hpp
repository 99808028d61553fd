// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the statistics of a stream add to presence probabilities: which labels occur together more often than other
// pairs (lift), and which labels ever get a high probability (peak). In log odds, for decide/presence.hpp.
//
//   lift_k = sum over a != k with p_a >= 0.001 of p_a clip(L[k,a] - median over j != a of L[j,a], -2, 2)
//            L[k,a] = log((U[k,a] + 20 m_k / n) / (m_a + 20)) - log(m_k / n)
//   peak_k = (1 - p_k) clip(log((U[k,k] + 5 R) / ((m_k + 5) R)), -2, 2)        R = 0.5 sum U[j,j] / sum m_j
//
// Both are shrunk by sample counts, so they grow with evidence. docs/presence.md shows where they help and where they
// harm: they are off by default.
//
// Thread safety: none.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "adapt/cooccurrence.hpp"

namespace bcp::adapt {

class Habits {
 public:
  static constexpr std::size_t kFewest = 10;  // labels; softmax shares among fewer are not informative

  // `p`: the shares of the labels among all words. shift[k] = weight * (0.25 lift_k + 0.3 peak_k); 0 with too few
  // labels or before anything was learnt. The statistics are the sum of `seen` and `others` (null: only `seen`).
  // REQUIRES: both have as many numbers as there are labels.
  void shift(const Cooccurrence& seen, std::span<const double> p, double weight, std::span<double> shift,
             const Cooccurrence* others = nullptr);

 private:
  std::vector<double> column_, lift_, rest_, single_, peak_;  // scratch
};

}  // namespace bcp::adapt
