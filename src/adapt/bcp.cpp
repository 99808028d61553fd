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
constexpr double kFull = 0.9;  // share of the sample count that forgetting converges to
constexpr std::size_t kMaxAnchors = 3;
// With all labels as anchors, less likely labels are skipped: their weight would be below 1e-4.
constexpr double kFaint = 0.01;

Error not_finite(std::span<const double> logits) {
  const auto is_wrong = [](double logit) { return !std::isfinite(logit); };
  const auto label = std::find_if(logits.begin(), logits.end(), is_wrong) - logits.begin();
  return {ErrorCode::kRuntime, "the score of label number " + std::to_string(label) +
                                   " is not a finite number: the model failed on this frame, which gets no "
                                   "labels"};
}

// Same error as below, and then fills nothing. REQUIRES: sizes agree.
Status fill_softmax(std::span<const double> logits, std::span<double> probabilities) {
  const auto [top, finite] = vectors::largest(logits);
  if (!finite) return not_finite(logits);
  vectors::scale(probabilities, 1 / vectors::exponentials(logits, top, probabilities));
  return ok();
}

double decay_of(const BcpSettings& settings) {
  return settings.half_life > 0 ? std::exp2(-1 / settings.half_life) : 1;
}

// The indices of the `count` largest values, lowest index first among equals.
std::array<std::size_t, kMaxAnchors> largest(std::span<const double> values, std::size_t count) {
  std::array<std::size_t, kMaxAnchors> top{};
  if (count == 1) {
    const double most = vectors::largest(values).value;
    top[0] = static_cast<std::size_t>(std::find(values.begin(), values.end(), most) - values.begin());
    return top;
  }
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

// softmax(s*), except that the label keeps its probability and the others share the rest.
void keep_probability(std::size_t label, Scores& scores) {
  // The softmax of the others without the label: next to the label they may all be 0, or too small to divide by.
  const auto before = [&](auto& values) { return std::span(values).first(label); };
  const auto behind = [&](auto& values) { return std::span(values).subspan(label + 1); };
  const auto &plain = scores.zero_shot_probability, &logits = scores.corrected;
  std::vector<double>& p = scores.probability;
  const double top = std::max(vectors::largest(before(logits)).value, vectors::largest(behind(logits)).value);
  // Summed, not 1 - p: the difference would be only rounding error when a label is nearly certain.
  const double rest = vectors::sum(before(plain)) + vectors::sum(behind(plain));
  const double others =
      vectors::exponentials(before(logits), top, before(p)) + vectors::exponentials(behind(logits), top, behind(p));
  vectors::scale(p, rest / others);
  p[label] = plain[label];
}

}  // namespace

Status Bcp::correct(std::span<const double> logits, const BcpSettings& settings, Scores& scores, const Added& added) {
  const std::size_t size = logits.size();
  scores.resize(size);
  scores.anchor = -1;
  scores.anchor_probability = 0;
  scores.samples = seen_.samples() + added.samples();
  if (size == 0) return ok();
  if (Status filled = fill_softmax(logits, scores.zero_shot_probability); !filled) return filled;

  std::copy(logits.begin(), logits.end(), scores.zero_shot.begin());
  std::fill(scores.correction.begin(), scores.correction.end(), 0.0);

  const std::size_t count = std::min({static_cast<std::size_t>(std::max(settings.anchors, 1)), kMaxAnchors, size});
  const auto top = largest(scores.zero_shot_probability, count);
  const auto anchors = std::span(top).first(count);
  scores.anchor_probability = scores.zero_shot_probability[anchors[0]];
  if (scores.anchor_probability > settings.anchor_confidence) scores.anchor = static_cast<int>(anchors[0]);

  const bool settled = settled_ || added.settled() || !settings.warm_up;
  const bool correcting = scores.anchor >= 0 && scores.samples > 0 && settled && settings.strength > 0;
  if (!correcting) {
    scores.corrected = scores.zero_shot;
    scores.probability = scores.zero_shot_probability;
    return ok();
  }
  add_correction(anchors, settings, added, scores);
  for (std::size_t k = 0; k < size; ++k) scores.corrected[k] = scores.zero_shot[k] + scores.correction[k];
  settings.keep_anchor ? keep_probability(anchors[0], scores) : softmax(scores.corrected, scores.probability);
  return ok();
}

void Bcp::add_correction(std::span<const std::size_t> anchors, const BcpSettings& settings, const Added& added,
                         Scores& scores) {
  const double lambda = settings.shrinkage;
  if (settings.anchors > 0) {
    for (const std::size_t a : anchors) add_pointwise_information(a, 1, lambda, added, scores.correction);
    for (double& c : scores.correction) c *= settings.strength / static_cast<double>(anchors.size());
    for (const std::size_t a : anchors) scores.correction[a] = 0;
    return;
  }
  for (std::size_t a = 0; a < scores.correction.size(); ++a) {
    const double p = scores.zero_shot_probability[a];
    if (p < kFaint) continue;
    const double its_own = scores.correction[a];
    add_pointwise_information(a, settings.strength * p * p, lambda, added, scores.correction);
    scores.correction[a] = its_own;
  }
}

// Adds weight * (log P(k|a) - log P(k)) to sum[k] for every label with evidence, from the samples taken while both
// labels were listed.
void Bcp::add_pointwise_information(std::size_t anchor, double weight, double lambda, const Added& added,
                                    std::span<double> sum) {
  column_.resize(sum.size());
  seen_.column(anchor, column_);
  if (added.others || added.asleep) return add_with_added(added, anchor, weight, lambda, sum);
  const std::span<const Cooccurrence::Era> eras = seen_.eras();
  if (eras.size() == 1) return add_of_era(eras[0], anchor, weight, lambda, sum);
  // Every era processes all labels, although a label belongs to one era: faster than going label by label.
  for (std::size_t e = seen_.came(anchor); e < eras.size(); ++e) {
    of_era_.assign(sum.size(), 0.0);
    add_of_era(eras[e], anchor, weight, lambda, of_era_);
    for (std::size_t k = 0; k < sum.size(); ++k)
      sum[k] += std::max(seen_.came(k), seen_.came(anchor)) == e ? of_era_[k] : 0;
  }
}

// The same with the sum of all. A pair has the samples of its era in each of them.
// REQUIRES: column_ is the column of the anchor here.
void Bcp::add_with_added(const Added& added, std::size_t anchor, double weight, double lambda, std::span<double> sum) {
  struct Part {
    const Cooccurrence& seen;
    double share;
  };
  std::array<const Part*, 2> parts{};
  const Part others{added.others ? added.others->seen : seen_, 1};
  const Part asleep{added.asleep ? added.asleep->seen : seen_, added.share};
  std::size_t count = 0;
  if (added.others) parts[count++] = &others;
  if (added.asleep) parts[count++] = &asleep;
  const auto all = std::span(parts).first(count);

  of_era_.resize(sum.size());
  for (const Part* part : all) {
    part->seen.column(anchor, of_era_);
    for (std::size_t k = 0; k < sum.size(); ++k) column_[k] += part->share * of_era_[k];
  }
  const auto era = [&](const Cooccurrence& seen, std::size_t k) { return std::max(seen.came(k), seen.came(anchor)); };
  const auto is_of = [&](std::size_t k, std::size_t first) {
    return era(seen_, k) == era(seen_, first) && std::all_of(all.begin(), all.end(), [&](const Part* part) {
             return era(part->seen, k) == era(part->seen, first);
           });
  };
  is_done_.assign(sum.size(), false);
  for (std::size_t first = 0; first < sum.size(); ++first) {
    if (is_done_[first]) continue;
    const Cooccurrence::Since own = seen_.since(first, anchor);
    total_.samples = own.samples;
    total_.single.assign(own.single.begin(), own.single.end());
    for (const Part* part : all) {
      const Cooccurrence::Since more = part->seen.since(first, anchor);
      total_.samples += part->share * more.samples;
      for (std::size_t k = 0; k < sum.size(); ++k) total_.single[k] += part->share * more.single[k];
    }
    of_era_.assign(sum.size(), 0.0);
    add_of_era(total_, anchor, weight, lambda, of_era_);
    for (std::size_t k = first; k < sum.size(); ++k) {
      if (is_done_[k] || !is_of(k, first)) continue;
      is_done_[k] = true;
      sum[k] += of_era_[k];
    }
  }
}

// The same with the samples of one era only. REQUIRES: column_ is the column of the anchor.
void Bcp::add_of_era(const Cooccurrence::Era& era, std::size_t anchor, double weight, double lambda,
                     std::span<double> sum) const {
  const double n = era.samples;
  const std::span<const double> m = era.single;
  if (!(m[anchor] > 0)) return;
  const double total = m[anchor] + (lambda > 0 ? lambda : kEpsilon);
  // P(k|a) / P(k) in one: U / m_k * n / total + lambda / total.
  const double factor = n / total, offset = lambda / total;
  if (!vectors::add_logarithms(column_, m, factor, offset, weight, sum)) return;
  for (std::size_t k = 0; k < sum.size(); ++k) {
    if (!vectors::is_faint(column_[k], m[k], factor, offset)) continue;
    const double prior = m[k] / n;
    // No or almost no evidence (a file may claim that): quotients of the smallest numbers are 0 or infinite.
    if (!(prior > 0) || std::isinf(prior)) continue;
    const double given = (column_[k] + lambda * prior) / total;
    // A product of two tiny probabilities can underflow to 0, which has no logarithm.
    sum[k] += weight * (std::log(std::max(given, std::numeric_limits<double>::denorm_min())) - std::log(prior));
  }
}

Status Bcp::learn(std::span<const double> logits, const BcpSettings& settings, Sample* sample) {
  p_.resize(logits.size());
  if (Status filled = fill_softmax(logits, p_); !filled) return filled;
  learn_probabilities(p_, settings, sample);
  return ok();
}

void Bcp::learn(const Scores& scores, const BcpSettings& settings, Sample* sample) {
  learn_probabilities(scores.zero_shot_probability, settings, sample);
}

void Bcp::learn_probabilities(std::span<const double> p, const BcpSettings& settings, Sample* sample) {
  const double decay = decay_of(settings);
  if (settings.warm_up && !settled_ && seen_.samples() > 0) {
    // With forgetting, each sample keeps moving the estimates: with few labels always by more than the limit.
    const bool full = seen_.samples() * (1 - decay) > kFull;
    // The pairs last: they take as long as learning.
    settled_ = full || (seen_.single_drift(p, decay) < kSettled && seen_.pair_drift(p, decay) < kSettled);
  }
  seen_.learn(p, decay);
  if (sample) *sample = {{p.begin(), p.end()}, decay, settled_};
}

bool Bcp::learn_before(const Sample& sample, std::span<const int> from) {
  if (!seen_.learn_before(sample.p, from, sample.decay)) return false;
  settled_ = settled_ || sample.settled;
  return true;
}

}  // namespace bcp::adapt
