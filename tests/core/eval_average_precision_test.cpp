// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <array>
#include <cmath>
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

TEST(AveragePrecision, RanksEqualScoresInTheOrderTheyCome) {
  EXPECT_DOUBLE_EQ(ap({7, 7, 7}, {1, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(ap({7, 7, 7}, {0, 0, 1}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(ap({0.0, -0.0}, {0, 1}), 1.0 / 2);
}

TEST(AveragePrecision, LeavesOutWhatIsNotToBeJudged) {
  EXPECT_DOUBLE_EQ(ap({0.9, 0.8, 0.7}, {-1, 1, 0}), 1);
  EXPECT_DOUBLE_EQ(ap({0.9, 0.8, 0.7}, {0, 1, 0}), 1.0 / 2);
}

TEST(AveragePrecision, IsNoneForALabelWithoutPositives) {
  EXPECT_TRUE(std::isnan(ap({0.9, 0.8}, {0, 0})));
  EXPECT_TRUE(std::isnan(ap({0.9, 0.8}, {-1, 0})));
  EXPECT_TRUE(std::isnan(ap({}, {})));
}

TEST(AveragePrecision, OfPartsIsThatOfTheirSamplesAlone) {
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

TEST(AveragePrecision, MeansAreOverTheNumbersThereAre) {
  EXPECT_DOUBLE_EQ(mean(std::vector<double>{1, kNone, 2}), 1.5);
  EXPECT_TRUE(std::isnan(mean(std::vector<double>{kNone})));
  EXPECT_TRUE(std::isnan(mean({})));
}

}  // namespace
}  // namespace bcp::eval
