// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/figures.hpp"

#include <algorithm>
#include <numeric>

#include "eval/average_precision.hpp"
#include "eval/groups.hpp"

namespace bcp::eval {
namespace {

constexpr std::uint8_t bit(Part part) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(part));
}

}  // namespace

Parts parts_of(const Truth& truth, const Order& order, const Run& run, double mu) {
  const auto buckets = label_counts(truth);
  Parts parts(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    unsigned in = bit(Part::kWhole);
    if (i >= order.size() / 2) in |= bit(Part::kLastHalf);
    if (const auto bucket = buckets[order[i]]) in |= bit(label_count_part(*bucket));
    if (run.confidence[i] > mu) {
      const std::int8_t there = truth.at(order[i], run.likeliest[i]);
      if (there >= 0) in |= bit(there == 1 ? Part::kHit : Part::kMiss);
    }
    parts[i] = static_cast<std::uint8_t>(in);
  }
  return parts;
}

std::size_t size_of(const Parts& parts, Part part) {
  return static_cast<std::size_t>(
      std::count_if(parts.begin(), parts.end(), [part](std::uint8_t in) { return (in & bit(part)) != 0; }));
}

Figures::Figures(const Run& run, const Truth& truth, const Order& order, const Parts& parts) : labels_(truth.labels) {
  std::vector<std::int8_t> there(order.size());
  for (auto& ap : ap_) ap.resize(labels_ * kParts);
  for (std::size_t k = 0; k < labels_; ++k) {
    for (std::size_t i = 0; i < order.size(); ++i) there[i] = truth.at(order[i], k);
    for (const Ranking ranking : kRankings) {
      const ScoreArray& scores = ranking == Ranking::kLogits ? run.logits : run.softmax;
      const auto result = std::span(ap_[static_cast<std::size_t>(ranking)]).subspan(k * kParts, kParts);
      average_precisions(scores.of_label(k), there, parts, result);
      for (double& ap : result) ap *= 100;
    }
  }
}

double Figures::ap(Part part, Ranking ranking, std::size_t label) const {
  return ap_[static_cast<std::size_t>(ranking)][label * kParts + static_cast<std::size_t>(part)];
}

double Figures::map(Part part, Ranking ranking) const {
  std::vector<std::size_t> all(labels_);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return map(part, ranking, all);
}

double Figures::map(Part part, Ranking ranking, std::span<const std::size_t> labels) const {
  std::vector<double> each;
  each.reserve(labels.size());
  for (const std::size_t k : labels) each.push_back(ap(part, ranking, k));
  return mean(each);
}

}  // namespace bcp::eval
