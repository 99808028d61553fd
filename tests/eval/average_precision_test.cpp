// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "eval/average_precision.hpp"
#include "eval/results.hpp"

namespace bcp::eval {
namespace {

double ap(const std::vector<double>& scores, const std::vector<std::int8_t>& truth) {
  return average_precision(scores, truth);
}

TEST(AveragePrecision, IsTheMeanOfThePrecisionAtEachPositive) {
  EXPECT_DOUBLE_EQ(ap({0.9, 0.8, 0.7, 0.6}, {1, 0, 1, 0}), (1.0 + 2.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(ap({0.6, 0.7, 0.8, 0.9}, {1, 0, 1, 0}), (1.0 / 2 + 2.0 / 4) / 2);
  EXPECT_DOUBLE_EQ(ap({3, 1, 2}, {1, 1, 1}), 1);
  EXPECT_DOUBLE_EQ(ap({-5, -4, -3}, {1, 0, 0}), 1.0 / 3);
}

TEST(AveragePrecision, RanksEqualScoresInTheirOrder) {
  EXPECT_DOUBLE_EQ(ap({7, 7, 7}, {1, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(ap({7, 7, 7}, {0, 0, 1}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(ap({0.0, -0.0}, {0, 1}), 1.0 / 2);
}

TEST(AveragePrecision, IgnoresSamplesWithTruthMinusOne) {
  EXPECT_DOUBLE_EQ(ap({0.9, 0.8, 0.7}, {-1, 1, 0}), 1);
  EXPECT_DOUBLE_EQ(ap({0.9, 0.8, 0.7}, {0, 1, 0}), 1.0 / 2);
}

TEST(AveragePrecision, IsNoneForALabelWithoutPositives) {
  EXPECT_TRUE(std::isnan(ap({0.9, 0.8}, {0, 0})));
  EXPECT_TRUE(std::isnan(ap({0.9, 0.8}, {-1, 0})));
  EXPECT_TRUE(std::isnan(ap({}, {})));
}

TEST(AveragePrecision, OfPartsUsesOnlyTheirSamples) {
  const std::vector<double> scores = {5, 4, 3, 2, 1, 3};
  const std::vector<std::int8_t> truth = {0, 1, 0, 1, -1, 1};
  const std::vector<std::uint8_t> parts = {0b001, 0b011, 0b011, 0b111, 0b111, 0b001};
  std::array<double, 4> result{};
  average_precisions(scores, truth, parts, result);
  EXPECT_DOUBLE_EQ(result[0], ap(scores, truth));
  EXPECT_DOUBLE_EQ(result[1], ap({4, 3, 2, 1}, {1, 0, 1, -1}));
  EXPECT_DOUBLE_EQ(result[2], 1);
  EXPECT_TRUE(std::isnan(result[3]));
}

// By definition: everything sorted, and counted from the top.
TEST(AveragePrecision, MatchesTheDefinitionWithManyTies) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> scores;
    std::vector<std::int8_t> truth;
    for (std::size_t i = 0; i < 50; ++i) {
      scores.push_back(static_cast<double>(random() % 9));
      truth.push_back(static_cast<std::int8_t>(static_cast<int>(random() % 3) - 1));
    }
    std::vector<std::size_t> ranking(50);
    std::iota(ranking.begin(), ranking.end(), std::size_t{0});
    std::stable_sort(ranking.begin(), ranking.end(), [&](auto a, auto b) { return scores[a] > scores[b]; });
    double seen = 0, found = 0, precisions = 0;
    for (const std::size_t i : ranking) {
      if (truth[i] < 0) continue;
      ++seen;
      if (truth[i] == 1) precisions += ++found / seen;
    }
    ASSERT_DOUBLE_EQ(ap(scores, truth), precisions / found);
  }
}

TEST(AveragePrecision, MeansIgnoreMissingNumbers) {
  EXPECT_DOUBLE_EQ(mean(std::vector<double>{1, kNone, 2}), 1.5);
  EXPECT_TRUE(std::isnan(mean(std::vector<double>{kNone})));
  EXPECT_TRUE(std::isnan(mean({})));
}

}  // namespace
}  // namespace bcp::eval
