// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Bayesian Conditional Priors: corrects a frame's logits with the label co-occurrence of the frames before it.
//
//   p = softmax(s), a = argmax p; if p_a > mu, every other label k gets
//   s*_k = s_k + log P(k|a) - log P(k)        P(k|a) = U[k,a] / (m_a + 1e-8), P(k) = m_k / n
//
// That is the paper's rule. With anchors = 0 every label is an anchor, weighted by the square of its probability:
//   s*_k = s_k + sum over a != k of p_a^2 (log P(k|a) - log P(k))
// With keep_anchor the likeliest label keeps the probability p_a, and the others share the rest in the ratio of
// softmax(s*). Softmax probabilities exclude each other, so nearly every pair seems to occur together less often than
// it does; without keep_anchor this lowers all other labels. Logits do not depend on keep_anchor.
//
// A label added later is measured by the samples since then: see cooccurrence.hpp.
//
// correct() and learn() are separate: the correction does not depend on whether the frame is learnt, and a frame that
// is corrected first and then learnt never affects its own correction. Settings may change between calls.
//
// Without evidence there is no correction: a label or an anchor never seen (m_k = 0, m_a = 0) gives 0, never -inf.
//
// Other statistics may be added wherever the own ones are read (added.hpp).
//
// Thread safety: none. One instance belongs to one stream.

#pragma once

#include <array>
#include <span>
#include <vector>

#include "adapt/added.hpp"
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

  // Fills `scores` from the logits, with the sum of the own statistics and the added ones. A logit that is not finite
  // is an error. REQUIRES: logits.size() == seen().labels().
  Status correct(std::span<const double> logits, const BcpSettings& settings, Scores& scores, const Added& added = {});

  // What a frame adds to the statistics.
  struct Sample {
    std::vector<double> p;
    double decay = 1;
    bool settled = false;  // warm-up ended with this frame
  };
  // Counts the frame. Same error, and then learns nothing; same requirement. `sample` receives what was counted, unless
  // it is null.
  Status learn(std::span<const double> logits, const BcpSettings& settings, Sample* sample = nullptr);
  // Counts the frame that correct() filled `scores` from, without computing its probabilities again. REQUIRES: that
  // frame had the same number of labels.
  void learn(const Scores& scores, const BcpSettings& settings, Sample* sample = nullptr);
  // Counts a frame scored with the label list before relabel(): see Cooccurrence::learn_before().
  bool learn_before(const Sample& sample, std::span<const int> from);

  // See Cooccurrence::hold().
  Cooccurrence::Mark hold() { return seen_.hold(); }
  void release() { seen_.release(); }
  // See Cooccurrence::settle().
  void settle() { seen_.settle(); }

  // Continues with another label list: see Cooccurrence::relabelled.
  void relabel(std::span<const int> from) {
    seen_.settle();
    *this = Bcp(seen_.relabelled(from), settled_);
  }

 private:
  void learn_probabilities(std::span<const double> p, const BcpSettings& settings, Sample* sample);
  void add_correction(std::span<const std::size_t> anchors, const BcpSettings& settings, const Added& added,
                      Scores& scores);
  void add_pointwise_information(std::size_t anchor, double weight, double lambda, const Added& added,
                                 std::span<double> sum);
  void add_with_added(const Added& added, std::size_t anchor, double weight, double lambda, std::span<double> sum);
  void add_of_era(const Cooccurrence::Era& era, std::size_t anchor, double weight, double lambda,
                  std::span<double> sum) const;

  Cooccurrence seen_;
  bool settled_ = false;                     // warm-up is over and does not start again
  std::vector<double> p_, column_, of_era_;  // scratch, like the rest
  Cooccurrence::Era total_;
  std::vector<bool> is_done_;
};

}  // namespace bcp::adapt
