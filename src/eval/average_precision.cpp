// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/average_precision.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "eval/results.hpp"

namespace bcp::eval {
namespace {

struct Ranked {
  double score;
  std::uint32_t place;  // position in the stream

  bool operator<(const Ranked& other) const {  // ranks before it
    return score != other.score ? score > other.score : place < other.place;
  }
};

constexpr std::size_t kMostParts = 8;

using Counts = std::array<std::uint32_t, kMostParts>;  // number of samples in each part

template <typename Do>
void for_each_part(std::uint8_t in, const Do& act) {
  for (unsigned left = in; left != 0; left &= left - 1) act(static_cast<std::size_t>(std::countr_zero(left)));
}

// A walk down the ranking of one part, from positive to positive.
struct Walk {
  std::size_t seen = 0, positives = 0;
  double precisions = 0;

  void find() {
    ++positives;
    precisions += static_cast<double>(positives) / static_cast<double>(seen);
  }
  double average() const { return positives > 0 ? precisions / static_cast<double>(positives) : kNone; }
};

}  // namespace

// Few samples have a label, and only these are sorted: for the others it is enough to know between which positives they
// rank.
void average_precisions(std::span<const double> scores, std::span<const std::int8_t> truth,
                        std::span<const std::uint8_t> parts, std::span<double> result) {
  std::vector<Ranked> positives;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (truth[i] == 1) positives.push_back({scores[i], static_cast<std::uint32_t>(i)});
  std::sort(positives.begin(), positives.end());

  std::vector<Counts> until(positives.size());  // from the previous positive (exclusive) to this one
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (truth[i] < 0) continue;
    const Ranked sample{scores[i], static_cast<std::uint32_t>(i)};
    const auto next = std::lower_bound(positives.begin(), positives.end(), sample) - positives.begin();
    if (static_cast<std::size_t>(next) == positives.size()) continue;
    for_each_part(parts[i], [&](std::size_t part) { ++until[static_cast<std::size_t>(next)][part]; });
  }
  std::array<Walk, kMostParts> walks;
  for (std::size_t j = 0; j < positives.size(); ++j) {
    for (std::size_t part = 0; part < kMostParts; ++part) walks[part].seen += until[j][part];
    for_each_part(parts[positives[j].place], [&](std::size_t part) { walks[part].find(); });
  }
  for (std::size_t part = 0; part < result.size(); ++part) result[part] = walks[part].average();
}

double average_precision(std::span<const double> scores, std::span<const std::int8_t> truth) {
  double result = kNone;
  average_precisions(scores, truth, std::vector<std::uint8_t>(scores.size(), 1), {&result, 1});
  return result;
}

double mean(std::span<const double> numbers) {
  double sum = 0;
  std::size_t count = 0;
  for (const double number : numbers) {
    if (std::isnan(number)) continue;
    sum += number;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : kNone;
}

}  // namespace bcp::eval
