// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The results of a run: the AP of every label in every part of the stream, by both rankings.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "eval/orders.hpp"
#include "eval/run.hpp"
#include "eval/stream.hpp"

namespace bcp::eval {

// The samples of a figure. Methods always adapt to all samples; only the figures are restricted.
enum class Part : std::size_t {
  kWhole,
  kLastHalf,                    // the last ceil(T / 2) of the stream
  kFirstLabelCount,             // the first of the four buckets of groups.hpp; the others follow
  kHit = kFirstLabelCount + 4,  // plain CLIP's top probability is above mu, and the label is present
  kMiss,                        // ..., and the label is absent; if it is ignored, the sample is in neither
};
inline constexpr std::size_t kParts = 8;
constexpr Part label_count_part(std::size_t bucket) {
  return static_cast<Part>(static_cast<std::size_t>(Part::kFirstLabelCount) + bucket);
}

// The parts of each sample: bit b of parts[i] for position i of the stream.
using Parts = std::vector<std::uint8_t>;
// `mu` defines confident samples; top labels and probabilities come from any run in this order.
Parts parts_of(const Truth& truth, const Order& order, const Run& run, double mu);
std::size_t size_of(const Parts& parts, Part part);

enum class Ranking : std::size_t { kLogits, kSoftmax };
inline constexpr std::array<Ranking, 2> kRankings = {Ranking::kLogits, Ranking::kSoftmax};

// All in percent, kNone without positives.
class Figures {
 public:
  Figures(const Run& run, const Truth& truth, const Order& order, const Parts& parts);

  double ap(Part part, Ranking ranking, std::size_t label) const;
  // Over the labels with a positive in this part.
  double map(Part part, Ranking ranking) const;
  // Over these labels.
  double map(Part part, Ranking ranking, std::span<const std::size_t> labels) const;

 private:
  std::size_t labels_;
  std::array<std::vector<double>, 2> ap_;  // by ranking: labels x parts
};

}  // namespace bcp::eval
