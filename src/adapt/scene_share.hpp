// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How much the other scenes of a stream count in the awake one: from nearly nothing, where the same labels have other
// companions, to in full, where all scenes are alike and the sum is one prior.
//
// The candidates are counts of samples that the others have together: kSamples, and all of them. Before a frame is
// learnt, each candidate predicts it: with a the likeliest label, its log score is
//
//   sum over k != a of p_k / (1 - p_a) log Q(k)      Q(k) = P(k|a) / sum over j != a of P(j|a)
//                                                    P(k|a) = (U[k,a] + 5 m_k / n) / (m_a + 5)
//
// from the sum of the own statistics and its share of the others. The 5 samples in which labels are independent decide
// what happens where a label was seen a few times only: with 0.5 of them, a small share looks better than one prior
// even where scenes are alike, because its pairs are smoothed more. The scores add up to the evidence, in which a frame
// counts half after 350 more. The share is the mean of the candidates by their evidence. One prior starts with an
// advantage of kOnePrior: scenes are separated where that predicts better, and nowhere else.
//
// Frames are only compared by what CLIP sees in them: whether the labels are right is not known.
//
// Thread safety: none. One instance belongs to one stream. A frame costs two columns of U and a few passes over labels.

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "adapt/cooccurrence.hpp"

namespace bcp::adapt {

class SceneShare {
 public:
  static constexpr std::array<double, 5> kSamples = {10, 30, 100, 300, 1000};
  static constexpr double kOnePrior = 3, kMemory = 500, kFewest = 5, kLambda = 5, kFaint = 1e-4;

  // A frame with these probabilities is about to be learnt. `own`: of the awake scene, without it; `others`: the sum of
  // the other scenes. REQUIRES: as many labels each.
  void observe(std::span<const double> p, const Cooccurrence& own, const Cooccurrence& others);
  // What the counts of the other scenes are multiplied with, 0 to 1, if they have so many samples.
  double share(double samples) const;

  // The log evidence for each of kSamples beyond that of one prior: what is stored.
  using Evidence = std::array<double, kSamples.size()>;
  const Evidence& evidence() const { return evidence_; }
  // Continues with it. REQUIRES: finite.
  void set_evidence(const Evidence& evidence) { evidence_ = evidence; }

 private:
  Evidence evidence_{};
  std::vector<double> own_, others_;  // scratch
};

}  // namespace bcp::adapt
