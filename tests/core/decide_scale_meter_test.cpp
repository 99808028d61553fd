// SPDX-License-Identifier: LGPL-2.1-or-later

#include "decide/scale_meter.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bcp::decide {
namespace {

TEST(ScaleMeter, AveragesTheSpreadOfEachPicture) {
  ScaleMeter meter;
  meter.add(std::vector<double>{1, 3});        // 1
  meter.add(std::vector<double>{20, 23, 26});  // sqrt(6)
  EXPECT_EQ(meter.pictures(), 2u);
  EXPECT_NEAR(meter.spread(), (1 + 2.449489743) / 2, 1e-9);
  EXPECT_NEAR(meter.scale(), 2 / meter.spread(), 1e-12);
}

TEST(ScaleMeter, FindsTheScaleThatGivesClipsSpread) {
  const std::vector<double> scores{18, 22, 24, 31, 17.5};
  ScaleMeter raw, scaled;
  raw.add(scores);
  std::vector<double> other;
  for (const double score : scores) other.push_back(score * raw.scale() + 5);
  scaled.add(other);
  EXPECT_NEAR(scaled.spread(), ScaleMeter::kSpread, 1e-12);
}

}  // namespace
}  // namespace bcp::decide
