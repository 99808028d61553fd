// SPDX-License-Identifier: LGPL-2.1-or-later

#include "adapt/bcp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "adapt/softmax.hpp"

namespace bcp::adapt {
namespace {

constexpr double kEpsilon = 1e-8;
constexpr double kSettled = 1e-4;
constexpr double kFull = 0.9;  // of the samples that forgetting ever leaves
constexpr std::size_t kMaxAnchors = 3;
// What is less likely has no say where all labels are anchors: its weight would be below 1e-4.
constexpr double kFaint = 0.01;

Status check_finite(std::span<const double> logits) {
  for (std::size_t k = 0; k < logits.size(); ++k) {
    if (std::isfinite(logits[k])) continue;
    return Error{ErrorCode::kRuntime,
                 "the score of label number " + std::to_string(k) +
                     " is not a finite number: the model failed on this frame, which passes without labels"};
  }
  return ok();
}

double decay_of(const BcpSettings& settings) {
  return settings.half_life > 0 ? std::exp2(-1 / settings.half_life) : 1;
}

// The indices of the `count` largest values, lowest index first among equals.
std::array<std::size_t, kMaxAnchors> largest(std::span<const double> values, std::size_t count) {
  std::array<std::size_t, kMaxAnchors> top{};
  for (std::size_t found = 0; found < count; ++found) {
    const auto taken = std::span(top).first(found);
    std::size_t best = values.size();
    for (std::size_t k = 0; k < values.size(); ++k) {
      if ((best == values.size() || values[k] > values[best]) &&
          std::find(taken.begin(), taken.end(), k) == taken.end())
        best = k;
    }
    top[found] = best;
  }
  return top;
}

// Gives the label the probability it had, and shares out the rest among the others as softmax(s*) would.
void keep_probability(std::size_t label, Scores& scores) {
  // The softmax of the others alone: beside the label all of them may have become 0, or too small to be divided by.
  double top = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < scores.corrected.size(); ++k) {
    if (k != label) top = std::max(top, scores.corrected[k]);
  }
  double rest = 0, others = 0;  // summed, not 1 - p: that would be all rounding where a label is nearly certain
  for (std::size_t k = 0; k < scores.corrected.size(); ++k) {
    if (k == label) continue;
    rest += scores.zero_shot_probability[k];
    others += scores.probability[k] = std::exp(scores.corrected[k] - top);
  }
  for (double& p : scores.probability) p *= rest / others;
  scores.probability[label] = scores.zero_shot_probability[label];
}

}  // namespace

Status Bcp::correct(std::span<const double> logits, const BcpSettings& settings, Scores& scores) {
  if (Status finite = check_finite(logits); !finite) return finite;
  const std::size_t size = logits.size();
  scores.resize(size);
  scores.anchor = -1;
  scores.anchor_probability = 0;
  scores.samples = seen_.samples();
  if (size == 0) return ok();

  std::copy(logits.begin(), logits.end(), scores.zero_shot.begin());
  softmax(logits, scores.zero_shot_probability);
  std::fill(scores.correction.begin(), scores.correction.end(), 0.0);

  const std::size_t count = std::min({static_cast<std::size_t>(std::max(settings.anchors, 1)), kMaxAnchors, size});
  const auto top = largest(scores.zero_shot_probability, count);
  const auto anchors = std::span(top).first(count);
  scores.anchor_probability = scores.zero_shot_probability[anchors[0]];
  if (scores.anchor_probability > settings.anchor_confidence) scores.anchor = static_cast<int>(anchors[0]);

  const bool settled = settled_ || !settings.warm_up;
  const bool correcting = scores.anchor >= 0 && seen_.samples() > 0 && settled && settings.strength > 0;
  if (correcting) add_correction(anchors, settings, scores);
  for (std::size_t k = 0; k < size; ++k) scores.corrected[k] = scores.zero_shot[k] + scores.correction[k];
  softmax(scores.corrected, scores.probability);
  if (correcting && settings.keep_anchor) keep_probability(anchors[0], scores);
  return ok();
}

void Bcp::add_correction(std::span<const std::size_t> anchors, const BcpSettings& settings, Scores& scores) {
  const double lambda = settings.shrinkage;
  if (settings.anchors > 0) {
    for (const std::size_t a : anchors) add_pointwise_information(a, 1, lambda, scores.correction);
    for (double& c : scores.correction) c *= settings.strength / static_cast<double>(anchors.size());
    for (const std::size_t a : anchors) scores.correction[a] = 0;
    return;
  }
  for (std::size_t a = 0; a < scores.correction.size(); ++a) {
    const double p = scores.zero_shot_probability[a];
    if (p < kFaint) continue;
    const double its_own = scores.correction[a];
    add_pointwise_information(a, settings.strength * p * p, lambda, scores.correction);
    scores.correction[a] = its_own;
  }
}

// Adds weight * (log P(k|a) - log P(k)) to sum[k] for every label there is evidence of, in samples that both were asked
// for.
void Bcp::add_pointwise_information(std::size_t anchor, double weight, double lambda, std::span<double> sum) {
  column_.resize(sum.size());
  seen_.column(anchor, column_);
  for (std::size_t k = 0; k < sum.size(); ++k) {
    const auto [n, m] = seen_.since(k, anchor);
    const double prior = m[k] / n;
    // None, or next to none, which a file may claim: quotients of the smallest numbers are 0 or infinite.
    if (!(prior > 0) || std::isinf(prior) || m[anchor] <= 0) continue;
    const double given = (column_[k] + lambda * prior) / (m[anchor] + (lambda > 0 ? lambda : kEpsilon));
    // A product of two tiny probabilities can underflow to 0, whose logarithm is none.
    sum[k] += weight * (std::log(std::max(given, std::numeric_limits<double>::denorm_min())) - std::log(prior));
  }
}

Status Bcp::learn(std::span<const double> logits, const BcpSettings& settings, Sample* sample) {
  if (Status finite = check_finite(logits); !finite) return finite;
  p_.resize(logits.size());
  softmax(logits, p_);
  const double decay = decay_of(settings);
  if (settings.warm_up && !settled_ && seen_.samples() > 0) {
    const auto [pair, single] = seen_.drift(p_, decay);
    // With forgetting each sample moves the estimates for good: of few labels always by more than that.
    const bool full = seen_.samples() * (1 - decay) > kFull;
    settled_ = full || (pair < kSettled && single < kSettled);
  }
  seen_.learn(p_, decay);
  if (sample) *sample = {p_, decay, settled_};
  return ok();
}

bool Bcp::learn_before(const Sample& sample, std::span<const int> from) {
  if (!seen_.learn_before(sample.p, from, sample.decay)) return false;
  settled_ = settled_ || sample.settled;
  return true;
}

}  // namespace bcp::adapt
