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
// With scenes (added.hpp) peak_k is that of all scenes in full: it belongs to the label and the encoder. The lift has
// the share s of the sleeping ones, as the correction has. The 20 samples that shrink it are of independent labels
// where s is 1, and have the lift of all scenes where s is 0: a scene has too few samples of most pairs to give that
// up.
//   L[k,a] = log((U[k,a] + 20 (1 + (1 - s)^3 (R[k,a] - 1)) m_k / n) / (m_a + 20)) - log(m_k / n)
//            R[k,a] = exp(L[k,a]) of all scenes as one prior
//
// Thread safety: none.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "adapt/added.hpp"
#include "adapt/cooccurrence.hpp"

namespace bcp::adapt {

class Habits {
 public:
  static constexpr std::size_t kFewest = 10;  // labels; softmax shares among fewer are not informative

  // `p`: the shares of the labels among all words. shift[k] = weight * (0.25 lift_k + 0.3 peak_k); 0 with too few
  // labels or before anything was learnt. The statistics are the sum of `seen` and the added ones.
  // REQUIRES: all have as many numbers as there are labels.
  void shift(const Cooccurrence& seen, std::span<const double> p, double weight, std::span<double> shift,
             const Added& added = {});

 private:
  void add_asleep(const Added& added, std::size_t anchor, double samples);

  // Scratch; all_ is m of all scenes.
  std::vector<double> column_, lift_, rest_, single_, all_, peak_;
};

}  // namespace bcp::adapt
