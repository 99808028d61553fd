// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Bayesian Conditional Priors: corrects a frame's logits with the label co-occurrence of the frames before it.
//
//   p = softmax(s), a = argmax p; if p_a > mu, every other label k gets
//   s*_k = s_k + log P(k|a) - log P(k)        P(k|a) = U[k,a] / (m_a + 1e-8), P(k) = m_k / n
//
// That is the paper's rule. With anchors = 0 no single label speaks for the frame; all do, as far as they are sure:
//   s*_k = s_k + sum over a != k of p_a^2 (log P(k|a) - log P(k))
// With keep_anchor the probability of the likeliest label stays p_a, and softmax(s*) shares out the rest among the
// others. Probabilities of a softmax exclude each other, so nearly every pair seems to occur together less often than
// it does; this keeps that from draining all the other labels alike. Logits are the same with and without.
//
// A label that came later is measured by the samples since: see cooccurrence.hpp.
//
// correct() and learn() are apart: correcting never depends on whether the frame is learnt, and a frame that is
// corrected first and learnt after never sees itself. Settings are given with each call and may change between calls.
//
// No evidence is no correction: a label never seen (m_k = 0) or an anchor never seen (m_a = 0) gives 0, never -inf.
//
// Thread safety: none. One instance belongs to one stream.

#pragma once

#include <span>
#include <vector>

#include "adapt/cooccurrence.hpp"
#include "adapt/scores.hpp"
#include "adapt/settings.hpp"
#include "base/result.hpp"

namespace bcp::adapt {

class Bcp {
 public:
  explicit Bcp(std::size_t labels) : seen_(labels) {}
  explicit Bcp(Cooccurrence seen, bool settled = false)
      : seen_(std::move(seen)), settled_(settled && seen_.samples() > 0) {}

  const Cooccurrence& seen() const { return seen_; }
  bool settled() const { return settled_; }  // warm-up is over

  // Fills `scores` from the logits. A logit that is not finite is an error of this frame.
  // REQUIRES: logits.size() == seen().labels().
  Status correct(std::span<const double> logits, const BcpSettings& settings, Scores& scores);

  // What a frame adds to the statistics.
  struct Sample {
    std::vector<double> p;
    double decay = 1;
    bool settled = false;  // warm-up is over with it
  };
  // Counts the frame. Same error, and then nothing is learnt; same requirement. `sample`, if any, receives what was
  // counted.
  Status learn(std::span<const double> logits, const BcpSettings& settings, Sample* sample = nullptr);
  // Counts the frame that correct() has filled `scores` from: the same without computing its probabilities again.
  // REQUIRES: that frame had as many labels.
  void learn(const Scores& scores, const BcpSettings& settings, Sample* sample = nullptr);
  // Counts a frame of the list this one was relabelled from: see Cooccurrence::learn_before().
  bool learn_before(const Sample& sample, std::span<const int> from);

  // See Cooccurrence::settle().
  void settle() { seen_.settle(); }

  // Goes on with another list of labels: see Cooccurrence::relabelled.
  void relabel(std::span<const int> from) {
    seen_.settle();
    *this = Bcp(seen_.relabelled(from), settled_);
  }

 private:
  void learn_probabilities(std::span<const double> p, const BcpSettings& settings, Sample* sample);
  void add_correction(std::span<const std::size_t> anchors, const BcpSettings& settings, Scores& scores);
  void add_pointwise_information(std::size_t anchor, double weight, double lambda, std::span<double> sum);
  void add_of_era(const Cooccurrence::Era& era, std::size_t anchor, double weight, double lambda,
                  std::span<double> sum) const;

  Cooccurrence seen_;
  bool settled_ = false;                     // warm-up is over, for good
  std::vector<double> p_, column_, of_era_;  // scratch
};

}  // namespace bcp::adapt
