// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which frames peers keep for a label.

#include <gtest/gtest.h>

#include <cmath>

#include "eval/peers/bank.hpp"

namespace bcp::eval {
namespace {

// Room for two frames for each of two labels. Frames are identified by their direction.
class BankOfTwo : public testing::Test {
 protected:
  bool offer(std::size_t direction, double entropy, std::size_t label = 0) {
    if (!bank_.accepts(label, entropy)) return false;
    std::vector<float> unit(4);
    unit[direction] = 1;
    bank_.keep(label, unit, entropy);
    return true;
  }
  bool has(std::size_t direction, std::size_t label = 0) const {
    const auto rows = bank_.rows(label);
    return rows.rows() > 0 && rows.col(static_cast<Eigen::Index>(direction)).maxCoeff() == 1;
  }

  Bank bank_{2, 4, 2};
};

TEST_F(BankOfTwo, KeepsTheMostConfidentWhenFull) {
  EXPECT_TRUE(offer(0, 0.3));
  EXPECT_TRUE(offer(1, 0.1));
  EXPECT_TRUE(offer(2, 0.2)) << "surer than the first";
  EXPECT_FALSE(has(0));
  EXPECT_TRUE(has(1));
  EXPECT_TRUE(has(2));
  EXPECT_FALSE(offer(3, 0.2)) << "no surer than the least sure";
  EXPECT_TRUE(offer(3, 0.05));
  EXPECT_TRUE(has(1));
  EXPECT_FALSE(has(2));
  EXPECT_TRUE(has(3));
  EXPECT_EQ(bank_.size(), 2U);
}

TEST_F(BankOfTwo, DropsTheNewerOfTwoEqualFrames) {
  offer(0, 0.2);
  offer(1, 0.2);
  offer(2, 0.1);
  EXPECT_TRUE(has(0));
  EXPECT_FALSE(has(1));
  EXPECT_TRUE(has(2));
}

TEST_F(BankOfTwo, KeepsLabelsSeparate) {
  offer(0, 0.3, 0);
  EXPECT_EQ(bank_.rows(1).rows(), 0);
  offer(1, 0.9, 1);
  offer(2, 0.8, 1);
  EXPECT_TRUE(has(0, 0));
  EXPECT_FALSE(has(0, 1));
  EXPECT_TRUE(has(1, 1));
  EXPECT_EQ(bank_.size(), 3U);
}

TEST_F(BankOfTwo, ReturnsThePositionOfANewFrame) {
  const std::vector<float> right{1, 0, 0, 0}, up{0, 1, 0, 0}, there{0, 0, 1, 0};
  EXPECT_EQ(bank_.keep(0, right, 0.3), 0U);
  EXPECT_EQ(bank_.keep(0, up, 0.4), 1U);
  EXPECT_EQ(bank_.keep(0, there, 0.2), 1U) << "the place of the least sure";
  EXPECT_EQ(bank_.rows(0)(1, 2), 1);
  EXPECT_EQ(bank_.rows(0)(1, 1), 0);
}

}  // namespace
}  // namespace bcp::eval
