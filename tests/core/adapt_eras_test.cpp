// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Labels added later: measured by the samples taken while they were listed.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "adapt/bcp.hpp"
#include "adapt/softmax.hpp"
#include "prior/snapshot.hpp"

namespace bcp::adapt {
namespace {

using Logits = std::vector<double>;
using From = std::vector<int>;

std::vector<Logits> stream(std::size_t frames, std::size_t labels, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 3);
  std::vector<Logits> all(frames, Logits(labels));
  for (auto& frame : all) {
    for (double& s : frame) s = noise(random);
  }
  return all;
}

void learn(Bcp& bcp, const std::vector<Logits>& frames, const BcpSettings& settings = {}) {
  for (const auto& frame : frames) ASSERT_TRUE(bcp.learn(frame, settings));
}

// The corrections of each label with this anchor.
Logits corrections(Bcp bcp, std::size_t anchor, const BcpSettings& settings = {}) {
  Logits frame(bcp.seen().labels(), 0.0);
  frame[anchor] = 50;
  Scores scores;
  EXPECT_TRUE(bcp.correct(frame, settings, scores));
  EXPECT_EQ(scores.anchor, static_cast<int>(anchor));
  return scores.correction;
}

// The labels that stay at their index, then this many new ones.
From grown(std::size_t stay, std::size_t size) {
  From from(size, -1);
  for (std::size_t i = 0; i < stay; ++i) from[i] = static_cast<int>(i);
  return from;
}

TEST(Eras, MeasureANewLabelLikeAStreamThatStartsWithIt) {
  for (const std::size_t old : {std::size_t{3}, kDenseLabels + 3}) {
    for (const BcpSettings& settings : {BcpSettings{}, BcpSettings{.shrinkage = 5}, BcpSettings{.half_life = 20}}) {
      const std::size_t size = old + 2;
      Bcp bcp(old), since(size);
      learn(bcp, stream(old > 100 ? 40 : 400, old, 1), settings);
      bcp.relabel(grown(old, size));
      const auto later = stream(30, size, 2);
      learn(bcp, later, settings);
      learn(since, later, settings);
      for (const std::size_t anchor : {std::size_t{0}, old, old + 1}) {
        const Logits expected = corrections(since, anchor, settings), now = corrections(bcp, anchor, settings);
        for (std::size_t k = anchor < old ? old : 0; k < size; ++k) ASSERT_NEAR(now[k], expected[k], 1e-9) << k;
      }
    }
  }
}

TEST(Eras, LeaveLabelsThatStayAsTheyWere) {
  const auto before = stream(100, 5, 1);
  Bcp bcp(5), same(5);
  learn(bcp, before);
  learn(same, before);
  bcp.relabel(grown(5, 6));
  for (std::size_t anchor = 0; anchor < 5; ++anchor) {
    Logits now = corrections(bcp, anchor);
    EXPECT_EQ(now.back(), 0);
    now.pop_back();
    EXPECT_EQ(now, corrections(same, anchor));
  }
}

TEST(Eras, DoNotCorrectANewLabelByAnAnchorSeenOnlyBefore) {
  Bcp bcp(2);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(bcp.learn(Logits{20, 0}, {}));
  bcp.relabel(grown(2, 3));
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(bcp.learn(Logits{-20, 0, 0}, {}));
  EXPECT_NEAR(corrections(bcp, 0, {.shrinkage = 5})[2], 0, 1e-6);
}

TEST(Eras, CorrectNothingInAStillPictureAfterALabelIsAdded) {
  Bcp bcp(3);
  learn(bcp, stream(200, 3, 3));
  bcp.relabel(grown(3, 4));
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(bcp.learn(Logits{1, 2, 0, 3}, {}));
  for (const double c : corrections(bcp, 3, {.shrinkage = 5})) EXPECT_NEAR(c, 0, 1e-12);
}

TEST(Eras, EndWhenTheirLabelsAreRemoved) {
  Bcp bcp(2);
  learn(bcp, stream(100, 2, 1));
  bcp.relabel(From{0, 1, -1, -1, -1});
  learn(bcp, stream(10, 5, 2));
  EXPECT_EQ(bcp.seen().samples(), 110);
  EXPECT_EQ(bcp.seen().since(0, 1).samples, 110);
  EXPECT_EQ(bcp.seen().since(0, 2).samples, 10);
  bcp.relabel(From{2, 3, 4});  // no earlier label is left
  EXPECT_EQ(bcp.seen().samples(), 10);
  EXPECT_EQ(bcp.seen().parts().eras.size(), 1u);
}

TEST(Eras, DoNotBeginWhenNothingWasLearntSinceTheLast) {
  Bcp bcp(2);
  bcp.relabel(grown(2, 3));
  EXPECT_EQ(bcp.seen().parts().eras.size(), 1u);
  learn(bcp, stream(5, 3, 1));
  bcp.relabel(grown(3, 4));
  bcp.relabel(grown(4, 5));
  EXPECT_EQ(bcp.seen().parts().eras.size(), 2u);
  learn(bcp, stream(5, 5, 1));
  EXPECT_EQ(bcp.seen().since(3, 4).samples, 5);
}

// For any number of additions; the error of merged eras stays within the documented limit.
TEST(Eras, AreLimitedAndMergeTheNearest) {
  Bcp bcp(1);
  std::vector<double> came;  // samples before each label
  double total = 0;
  for (std::size_t labels = 1; labels < 60; ++labels) {
    came.push_back(total);
    learn(bcp, stream(1 + labels % 7, labels, static_cast<unsigned>(labels)));
    total += 1 + static_cast<double>(labels % 7);
    bcp.relabel(grown(labels, labels + 1));
    EXPECT_LE(bcp.seen().parts().eras.size(), kMostEras);
  }
  EXPECT_EQ(bcp.seen().parts().eras.size(), kMostEras);
  for (std::size_t k = 0; k < came.size(); ++k) {
    const double counted = bcp.seen().since(k, k).samples, real = total - came[k];
    EXPECT_GE(counted, real);
    EXPECT_LE(counted, 1.6 * real) << k;
  }
  std::vector<std::string> names;
  for (std::size_t k = 0; k < 60; ++k) names.push_back(std::to_string(k));
  const auto read = prior::decode_snapshot(prior::encode_snapshot(prior::Snapshot{"", names, bcp.seen()}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->seen.parts(), bcp.seen().parts());
  for (std::size_t k = 0; k < 59; ++k) {
    for (const double c : corrections(bcp, k)) EXPECT_TRUE(std::isfinite(c));
  }
}

TEST(Eras, AddUpWithTheirLabels) {
  Bcp file(2), here(3);
  learn(file, stream(100, 2, 1));
  learn(here, stream(7, 3, 2));
  const Cooccurrence known = file.seen().relabelled(grown(2, 3));
  Cooccurrence sum = known, mirrored = here.seen();
  sum.add(here.seen());
  mirrored.add(known);
  EXPECT_EQ(sum.parts(), mirrored.parts());
  EXPECT_EQ(sum.samples(), 107);
  EXPECT_EQ(sum.since(0, 1).samples, 107);
  EXPECT_EQ(sum.since(1, 2).samples, 7);
  EXPECT_EQ(sum.since(2, 1).single[1], here.seen().single()[1]);
  EXPECT_EQ(sum.pair(1, 2), here.seen().pair(1, 2));
  EXPECT_EQ(sum.pair(0, 1), here.seen().pair(0, 1) + file.seen().pair(0, 1));
  EXPECT_EQ(corrections(Bcp(sum), 2), corrections(here, 2));
}

TEST(Eras, SurviveALabelListThatChangesStorage) {
  Bcp bcp(3);
  learn(bcp, stream(50, 3, 1));
  bcp.relabel(grown(3, 4));
  learn(bcp, stream(20, 4, 2));
  const Logits before = corrections(bcp, 3, {.shrinkage = 5});
  bcp.relabel(grown(4, kDenseLabels + 1));
  bcp.relabel(grown(4, 4));
  const Logits after = corrections(bcp, 3, {.shrinkage = 5});
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(after[k], before[k], 1e-2);
  EXPECT_EQ(bcp.seen().since(0, 3).samples, 20);
}

}  // namespace
}  // namespace bcp::adapt
