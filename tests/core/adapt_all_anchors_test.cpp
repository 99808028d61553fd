// SPDX-License-Identifier: LGPL-2.1-or-later
//
// With all labels as anchors, and with keep_anchor.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "adapt/bcp.hpp"
#include "adapt/softmax.hpp"

namespace bcp::adapt {
namespace {

using Logits = std::vector<double>;

const BcpSettings kAll{.anchor_confidence = 0, .anchors = 0, .shrinkage = 2};
const BcpSettings kAllKept{.anchor_confidence = 0, .anchors = 0, .keep_anchor = true, .shrinkage = 2};

// Two labels that occur together, and a third that occurs alone.
Bcp pairs() {
  Bcp bcp(3);
  for (const Logits& frame : {Logits{4, 4, 0}, Logits{0, 0, 5}, Logits{4, 3, 0}}) EXPECT_TRUE(bcp.learn(frame, kAll));
  return bcp;
}

Scores corrected(Bcp& bcp, const Logits& logits, const BcpSettings& settings) {
  Scores scores;
  EXPECT_TRUE(bcp.correct(logits, settings, scores));
  return scores;
}

TEST(AllAnchors, WeightEachOtherLabelByTheSquareOfItsProbability) {
  Bcp bcp = pairs();
  const Scores scores = corrected(bcp, {2, 1, 1.5}, kAll);
  const double n = bcp.seen().samples();
  for (std::size_t k = 0; k < 3; ++k) {
    double expected = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      if (a == k) continue;
      const double alone = bcp.seen().single()[k] / n;
      const double given = (bcp.seen().pair(k, a) + 2 * alone) / (bcp.seen().single()[a] + 2);
      expected += std::pow(scores.zero_shot_probability[a], 2) * std::log(given / alone);
    }
    EXPECT_NEAR(scores.correction[k], expected, 1e-12);
    EXPECT_NEAR(scores.corrected[k], scores.zero_shot[k] + expected, 1e-12);
  }
  EXPECT_GT(scores.correction[1], 0);  // it occurs with the most probable label
  EXPECT_LT(scores.correction[2], 0);
}

TEST(AllAnchors, EqualTheSingleAnchorWhenItIsCertain) {
  Bcp bcp = pairs();
  const BcpSettings one{.shrinkage = 2};
  const Logits certain{60, 1, 1.5};
  const Scores all = corrected(bcp, certain, kAll), single = corrected(bcp, certain, one);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(all.correction[k], single.correction[k], 1e-12);
}

TEST(AllAnchors, CorrectAFrameWithoutAConfidentLabel) {
  Bcp bcp = pairs();
  EXPECT_NE(corrected(bcp, {1, 1, 1}, kAll).correction, Logits(3, 0.0));
  EXPECT_EQ(corrected(bcp, {1, 1, 1}, BcpSettings{}).correction, Logits(3, 0.0));
}

TEST(AllAnchors, AreScaledByStrengthAndLimitedByAnchorConfidence) {
  Bcp bcp = pairs();
  const Logits logits{2, 1, 1.5};
  BcpSettings half = kAll, never = kAll;
  half.strength = 0.5;
  never.anchor_confidence = 0.99;
  const Scores whole = corrected(bcp, logits, kAll), part = corrected(bcp, logits, half);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(part.correction[k], whole.correction[k] / 2, 1e-12);
  EXPECT_EQ(corrected(bcp, logits, never).correction, Logits(3, 0.0));
}

TEST(AllAnchors, AreIgnoredWhenFaint) {
  Bcp bcp = pairs();
  const Logits logits{10, 5.3, 0};  // the second has a probability of 0.009
  ASSERT_LT(corrected(bcp, logits, kAll).zero_shot_probability[1], 0.01);
  EXPECT_EQ(corrected(bcp, logits, kAll).correction[0], 0);
}

TEST(KeepAnchor, KeepsTheTopProbabilityAndAllLogits) {
  Bcp bcp = pairs();
  const Logits logits{2, 1, 1.5};
  const Scores plain = corrected(bcp, logits, kAll), kept = corrected(bcp, logits, kAllKept);
  EXPECT_EQ(kept.corrected, plain.corrected);
  EXPECT_EQ(kept.probability[0], kept.zero_shot_probability[0]);
  EXPECT_NEAR(kept.probability[1] / kept.probability[2], plain.probability[1] / plain.probability[2], 1e-12);
  EXPECT_NEAR(std::accumulate(kept.probability.begin(), kept.probability.end(), 0.0), 1, 1e-12);
}

TEST(KeepAnchor, ChangesNothingWhenAllOthersAreLoweredEqually) {
  Bcp bcp(3);  // labels that exclude each other, all equal
  for (const Logits& frame : {Logits{9, 0, 0}, Logits{0, 9, 0}, Logits{0, 0, 9}}) {
    ASSERT_TRUE(bcp.learn(frame, kAll));
  }
  const BcpSettings paper{}, kept{.keep_anchor = true};
  const Scores drained = corrected(bcp, {3, 2, 1}, paper), same = corrected(bcp, {3, 2, 1}, kept);
  EXPECT_LT(drained.probability[1], drained.zero_shot_probability[1] / 2);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(same.probability[k], same.zero_shot_probability[k], 1e-12);
}

TEST(KeepAnchor, SharesTheRestWhenTheOthersAreNearlyZero) {
  Bcp bcp(3);  // labels never seen together: all others are lowered to 0 in the softmax
  for (const Logits& frame : {Logits{1000, 0, 0}, Logits{0, 1000, 0}, Logits{0, 0, 1000}}) {
    ASSERT_TRUE(bcp.learn(frame, kAll));
  }
  for (const Logits& logits : {Logits{3, 2, 1}, Logits{30, 2, 1}, Logits{2, 1.5, -40}}) {
    const Scores scores = corrected(bcp, logits, {.keep_anchor = true});
    ASSERT_LT(scores.correction[1], -700);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(scores.probability[k], scores.zero_shot_probability[k], 1e-12);
  }
}

TEST(KeepAnchor, StaysFiniteWhereOneLabelIsCertain) {
  Bcp bcp = pairs();
  for (const double top : {40.0, 800.0, 5000.0}) {
    const Scores scores = corrected(bcp, {top, 1, 0}, kAllKept);
    EXPECT_NEAR(scores.probability[0], 1, 1e-12);
    for (const double p : scores.probability) EXPECT_TRUE(p >= 0 && p <= 1) << p;
  }
  Bcp one(1);
  ASSERT_TRUE(one.learn(Logits{3}, kAllKept));
  EXPECT_EQ(corrected(one, {3}, kAllKept).probability, Logits{1});
}

}  // namespace
}  // namespace bcp::adapt
