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
  std::uint32_t place;  // in the stream
};

// Going down the ranking of one part.
struct Walk {
  std::size_t seen = 0, positives = 0;
  double precisions = 0;

  void step(bool positive) {
    ++seen;
    if (!positive) return;
    ++positives;
    precisions += static_cast<double>(positives) / static_cast<double>(seen);
  }
  double average() const { return positives > 0 ? precisions / static_cast<double>(positives) : kNone; }
};

constexpr std::size_t kMostParts = 8;

}  // namespace

void average_precisions(std::span<const double> scores, std::span<const std::int8_t> truth,
                        std::span<const std::uint8_t> parts, std::span<double> result) {
  std::vector<Ranked> ranking;
  ranking.reserve(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (truth[i] >= 0) ranking.push_back({scores[i], static_cast<std::uint32_t>(i)});
  std::sort(ranking.begin(), ranking.end(), [](const Ranked& x, const Ranked& y) {
    return x.score != y.score ? x.score > y.score : x.place < y.place;
  });
  std::array<Walk, kMostParts> walks;
  for (const Ranked& next : ranking) {
    const bool positive = truth[next.place] == 1;
    for (unsigned in = parts[next.place]; in != 0; in &= in - 1)
      walks[static_cast<std::size_t>(std::countr_zero(in))].step(positive);
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
