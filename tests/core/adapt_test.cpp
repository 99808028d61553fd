// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Properties of the adapter for any stream.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "adapt/bcp.hpp"
#include "adapt/novelty.hpp"
#include "adapt/softmax.hpp"

namespace bcp::adapt {
namespace {

using Logits = std::vector<double>;

// A stream with topics: each frame raises a few neighbouring labels well above the rest.
std::vector<Logits> topics(std::size_t frames, std::size_t labels, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(20, 1.5);
  std::vector<Logits> stream(frames, Logits(labels));
  for (auto& frame : stream) {
    for (double& s : frame) s = noise(random);
    const std::size_t topic = random() % labels;
    for (std::size_t k = 0; k < 3; ++k) frame[(topic + k) % labels] += 8 - 2 * static_cast<double>(k);
  }
  return stream;
}

Bcp learnt(const std::vector<Logits>& stream, const BcpSettings& settings = {}) {
  Bcp bcp(stream[0].size());
  for (const auto& frame : stream) EXPECT_TRUE(bcp.learn(frame, settings));
  return bcp;
}

std::vector<Logits> corrected(const std::vector<Logits>& stream, const BcpSettings& settings) {
  Bcp bcp(stream[0].size());
  Scores scores;
  std::vector<Logits> out;
  for (const auto& frame : stream) {
    EXPECT_TRUE(bcp.correct(frame, settings, scores));
    EXPECT_TRUE(bcp.learn(frame, settings));
    out.push_back(scores.corrected);
  }
  return out;
}

TEST(Softmax, StaysFiniteForLogitsPastTheRangeOfExp) {
  const Logits logits{5000, 4999, -5000};
  Logits p(3);
  softmax(logits, p);
  EXPECT_NEAR(p[0], 1 / (1 + std::exp(-1)), 1e-12);
  EXPECT_NEAR(p[0] + p[1] + p[2], 1, 1e-12);
}

TEST(Cooccurrence, IsSymmetricAndItsMarginalIsTheSumOfP) {
  const auto stream = topics(200, 12);
  const Bcp bcp = learnt(stream);
  Logits p(12), sum(12, 0.0), column(12), mirror(12);
  for (const auto& frame : stream) {
    softmax(frame, p);
    for (std::size_t k = 0; k < 12; ++k) sum[k] += p[k];
  }
  for (std::size_t a = 0; a < 12; ++a) {
    EXPECT_NEAR(bcp.seen().single()[a], sum[a], 1e-9);
    bcp.seen().column(a, column);
    double total = 0;
    for (std::size_t k = 0; k < 12; ++k) {
      bcp.seen().column(k, mirror);
      EXPECT_DOUBLE_EQ(column[k], mirror[a]);
      EXPECT_LE(column[k], std::min(bcp.seen().single()[k], bcp.seen().single()[a]) + 1e-12);
      total += column[k];
    }
    EXPECT_NEAR(total, sum[a], 1e-9);  // the probabilities of a frame add up to one
  }
  EXPECT_EQ(bcp.seen().samples(), 200);
}

TEST(Cooccurrence, ForgetsHalfInOneHalfLife) {
  Cooccurrence seen(2);
  const Logits first{1, 0}, second{0, 1};
  seen.learn(first, 1);
  for (int i = 0; i < 10; ++i) seen.learn(second, std::exp2(-1.0 / 10));
  EXPECT_NEAR(seen.single()[0], 0.5, 1e-12);
  Logits column(2);
  seen.column(0, column);
  EXPECT_NEAR(column[0], 0.5, 1e-12);
}

TEST(Bcp, LeavesTheAnchorAlone) {
  const auto stream = topics(300, 10);
  Bcp bcp = learnt(stream);
  Scores scores;
  int anchored = 0;
  for (const int anchors : {1, 2, 3}) {
    for (const auto& frame : stream) {
      ASSERT_TRUE(bcp.correct(frame, {.anchors = anchors}, scores));
      if (scores.anchor < 0) continue;
      ++anchored;
      EXPECT_EQ(scores.correction[static_cast<std::size_t>(scores.anchor)], 0);
    }
  }
  EXPECT_GT(anchored, 300);
}

TEST(Bcp, RaisesWhatOccursWithTheAnchorAndLowersWhatDoesNot) {
  Bcp bcp(3);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(bcp.learn(Logits{10, 9, 0}, {}));  // 0 and 1 together
    ASSERT_TRUE(bcp.learn(Logits{0, 0, 10}, {}));  // 2 alone
  }
  Scores scores;
  ASSERT_TRUE(bcp.correct(Logits{10, 5, 5}, {}, scores));
  EXPECT_EQ(scores.anchor, 0);
  EXPECT_GT(scores.correction[1], 0.3);
  EXPECT_LT(scores.correction[2], -2);
}

TEST(Bcp, IsPlainClipAtStrengthZero) {
  const auto stream = topics(100, 10);
  EXPECT_EQ(corrected(stream, {.strength = 0}), stream);
}

TEST(Bcp, IsPlainClipWhenNoLabelIsSureEnough) {
  const auto stream = topics(100, 10);
  EXPECT_EQ(corrected(stream, {.anchor_confidence = 1}), stream);
}

TEST(Bcp, CorrectsNothingInAStreamOfIdenticalFrames) {
  const std::vector<Logits> stream(500, Logits{27, 25, 21, 14, -3});
  for (const BcpSettings& settings : {BcpSettings{.shrinkage = 5}, BcpSettings{.shrinkage = 5, .half_life = 20},
                                      BcpSettings{.anchors = 3, .shrinkage = 5}}) {
    for (const auto& frame : corrected(stream, settings)) {
      for (std::size_t k = 0; k < frame.size(); ++k) ASSERT_NEAR(frame[k], stream[0][k], 1e-9);
    }
  }
  // Without shrinkage the paper's epsilon, 1e-8, has an effect during the first ten samples.
  const auto paper = corrected(stream, {});
  for (std::size_t t = 0; t < paper.size(); ++t) {
    for (std::size_t k = 0; k < paper[t].size(); ++k) ASSERT_NEAR(paper[t][k], stream[0][k], t > 12 ? 1e-9 : 1.2e-8);
  }
}

TEST(Bcp, DoesNotLetLaterFramesChangeEarlierOnes) {
  const auto stream = topics(120, 8);
  const BcpSettings settings{.anchor_confidence = 0.2, .warm_up = true, .half_life = 30};
  const auto expected = corrected(stream, settings);
  for (const std::size_t t : {0u, 1u, 57u, 118u}) {
    auto other = topics(120, 8, 99);
    std::copy(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(t) + 1, other.begin());
    EXPECT_EQ(corrected(other, settings)[t], expected[t]);
  }
}

TEST(Bcp, CorrectsNothingWithoutEvidence) {
  Bcp bcp(4);
  Scores scores;
  ASSERT_TRUE(bcp.correct(Logits{30, 1, 2, 3}, {}, scores));  // nothing learnt yet
  EXPECT_EQ(scores.corrected, scores.zero_shot);

  bcp = learnt(topics(50, 3));
  const std::vector<int> with_a_new_label{0, 1, 2, -1};
  bcp.relabel(with_a_new_label);
  ASSERT_TRUE(bcp.correct(Logits{30, 1, 2, 3}, {}, scores));  // the new label has no evidence
  EXPECT_NE(scores.correction[1], 0);
  EXPECT_EQ(scores.correction[3], 0);
  ASSERT_TRUE(bcp.correct(Logits{1, 2, 3, 30}, {}, scores));  // nor is it evidence of others
  EXPECT_EQ(scores.anchor, 3);
  EXPECT_EQ(scores.corrected, scores.zero_shot);
}

TEST(Bcp, SurvivesAPairThatUnderflowed) {
  Bcp bcp(3);
  ASSERT_TRUE(bcp.learn(Logits{0, -600, -600}, {}));
  ASSERT_TRUE(bcp.learn(Logits{-600, 0, -600}, {}));
  Scores scores;
  ASSERT_TRUE(bcp.correct(Logits{0, -10, -20}, {}, scores));
  for (const double s : scores.corrected) EXPECT_TRUE(std::isfinite(s));
  EXPECT_LT(scores.correction[1], -500);
}

TEST(Bcp, LearnsNothingFromAFrameThatIsNotFinite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()}) {
    Bcp bcp = learnt(topics(20, 4));
    const Logits before(bcp.seen().single().begin(), bcp.seen().single().end());
    const Logits frame{1, bad, 2, 3};
    Scores scores;
    EXPECT_FALSE(bcp.correct(frame, {}, scores));
    EXPECT_FALSE(bcp.learn(frame, {}));
    EXPECT_EQ(bcp.seen().samples(), 20);
    EXPECT_EQ(Logits(bcp.seen().single().begin(), bcp.seen().single().end()), before);
  }
}

TEST(Bcp, WorksWithOneLabelAndWithMoreAnchorsThanLabels) {
  Bcp one(1), two(2);
  Scores scores;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(one.correct(Logits{3}, {.anchors = 3}, scores));
    EXPECT_EQ(scores.probability[0], 1);
    ASSERT_TRUE(one.learn(Logits{3}, {}));
    ASSERT_TRUE(two.correct(Logits{3, 1}, {.anchors = 3}, scores));
    EXPECT_EQ(scores.corrected, (Logits{3, 1}));  // both are anchors
    ASSERT_TRUE(two.learn(Logits{3, 1}, {}));
  }
}

TEST(Bcp, KeepsTheStatisticsOfLabelsThatStay) {
  const auto stream = topics(200, 6);
  Bcp bcp = learnt(stream);
  Logits before(6), after(5);
  bcp.seen().column(4, before);
  const std::vector<int> from{4, -1, 0, 2, 5};
  bcp.relabel(from);
  ASSERT_EQ(bcp.seen().labels(), 5u);
  EXPECT_EQ(bcp.seen().samples(), 200);
  bcp.seen().column(0, after);
  EXPECT_EQ(after, (Logits{before[4], 0, before[0], before[2], before[5]}));
}

TEST(Bcp, StartsAgainWhenNoLabelStays) {
  Bcp fresh(3), changed(learnt(topics(1000, 6)).seen(), true);
  changed.relabel(std::vector{-1, -1, -1});
  EXPECT_EQ(changed.seen().samples(), 0);
  EXPECT_FALSE(changed.settled());
  Scores expected, scores;
  const Logits frame{5, 1, 0};
  for (Bcp* bcp : {&fresh, &changed}) ASSERT_TRUE(bcp->learn(frame, {}));
  ASSERT_TRUE(fresh.correct(frame, {}, expected));
  ASSERT_TRUE(changed.correct(frame, {}, scores));
  EXPECT_EQ(scores.corrected, expected.corrected);
}

TEST(Bcp, WaitsForTheEstimatesToSettle) {
  const auto stream = topics(3000, 6);
  Bcp bcp(6);
  Scores scores;
  std::size_t first = 0;
  for (std::size_t t = 0; t < stream.size() && first == 0; ++t) {
    ASSERT_TRUE(bcp.correct(stream[t], {.warm_up = true}, scores));
    if (scores.corrected != scores.zero_shot) first = t;
    ASSERT_TRUE(bcp.learn(stream[t], {.warm_up = true}));
  }
  EXPECT_GT(first, 100u);
  EXPECT_LT(first, 2999u);
}

TEST(Bcp, SettlesAlsoWhereFewLabelsAndForgettingKeepTheEstimatesMoving) {
  Bcp bcp(2);
  const BcpSettings settings{.warm_up = true, .half_life = 100};
  int learnt = 0;
  while (!bcp.settled() && learnt < 1000) ASSERT_TRUE(bcp.learn(learnt++ % 2 ? Logits{9, 0} : Logits{0, 9}, settings));
  EXPECT_GT(learnt, 300);  // more than three half-lives
  EXPECT_LT(learnt, 400);
}

// Sparse storage

// Runs the stream through both storages; the largest difference of a corrected probability from frame `begin` on.
double sparse_error(const std::vector<Logits>& stream, const BcpSettings& settings, std::size_t begin = 0) {
  const std::size_t labels = stream[0].size();
  Bcp dense(Cooccurrence(labels, Cooccurrence::Storage::kDense)),
      sparse(Cooccurrence(labels, Cooccurrence::Storage::kSparse));
  Scores exact, close;
  double worst = 0;
  for (std::size_t t = 0; t < stream.size(); ++t) {
    const Logits& frame = stream[t];
    EXPECT_TRUE(dense.correct(frame, settings, exact));
    EXPECT_TRUE(sparse.correct(frame, settings, close));
    for (std::size_t k = 0; k < labels && t >= begin; ++k)
      worst = std::max(worst, std::abs(exact.probability[k] - close.probability[k]));
    EXPECT_TRUE(dense.learn(frame, settings));
    EXPECT_TRUE(sparse.learn(frame, settings));
  }
  return worst;
}

TEST(SparseCooccurrence, StaysCloseToTheDenseOne) {
  const auto stream = topics(1500, 300);
  // Without shrinkage the weight of the first samples is unlimited, in either storage.
  EXPECT_LT(sparse_error(stream, {.anchor_confidence = 0.2}, 500), 0.05);
  EXPECT_LT(sparse_error(stream, {.anchor_confidence = 0.2, .shrinkage = 5}), 0.01);
  EXPECT_LT(sparse_error(stream, {.anchor_confidence = 0.2, .shrinkage = 5, .half_life = 50}), 0.01);
  EXPECT_LT(sparse_error(stream, preset_settings(Preset::kVideo).bcp), 0.01);
}

TEST(SparseCooccurrence, NeverRaisesALabelForLackOfEvidence) {
  Cooccurrence seen(5, Cooccurrence::Storage::kSparse);
  for (int i = 0; i < 100; ++i) seen.learn(Logits{0.9, 0.0999, 0.0001, 0, 0}, 1);
  Logits column(5);
  seen.column(0, column);
  EXPECT_NEAR(column[2], 100 * 0.9 * 0.0001, 1e-7);  // as if independent; a sum of floats
  EXPECT_EQ(column[3], 0);
}

// Every column, pair by pair.
void expect_columns_of_pairs(const Cooccurrence& seen) {
  Logits column(seen.labels());
  for (std::size_t a = 0; a < seen.labels(); ++a) {
    seen.column(a, column);
    for (std::size_t k = 0; k < seen.labels(); ++k) ASSERT_NEAR(column[k], seen.pair(k, a), 1e-12) << k << ", " << a;
  }
}

TEST(SparseCooccurrence, ColumnsMatchTheirPairs) {
  Cooccurrence seen(60, Cooccurrence::Storage::kSparse);
  Logits p(60, 0.0);
  for (std::size_t i = 0; i < 500; ++i) {  // long enough for the first pairs to be forgotten and to occur again
    p[i * 7 % 60] += 0.6, p[i * 11 % 60] += 0.3999, p[i % 60] += 0.0001;
    seen.learn(p, std::exp2(-1.0 / 3));
    std::fill(p.begin(), p.end(), 0.0);
  }
  ASSERT_LT(seen.stored_pairs(), 150u);
  expect_columns_of_pairs(seen);
  Cooccurrence again(seen.parts());
  expect_columns_of_pairs(again);
  again.add(seen);
  expect_columns_of_pairs(again);
}

TEST(SparseCooccurrence, DropsPairsThatWereForgotten) {
  Cooccurrence seen(3000, Cooccurrence::Storage::kSparse);
  Logits p(3000, 0.0);
  for (std::size_t i = 0; i < 2000; ++i) {
    p[i] = 0.5, p[i + 1] = 0.5;
    seen.learn(p, std::exp2(-1.0 / 10));
    p[i] = p[i + 1] = 0;
  }
  EXPECT_LT(seen.stored_pairs(), 1500u);  // 4001 without forgetting
}

TEST(SparseCooccurrence, MovesBetweenStoragesWhenTheListGrowsOrShrinks) {
  const auto stream = topics(300, 40);
  Bcp bcp = learnt(stream);
  Logits before(40), after(40);
  bcp.seen().column(7, before);
  std::vector<int> grown(kDenseLabels + 1, -1), shrunk(40);
  for (int i = 0; i < 40; ++i)
    grown[static_cast<std::size_t>(i) + 100] = i, shrunk[static_cast<std::size_t>(i)] = i + 100;
  bcp.relabel(grown);
  EXPECT_LT(bcp.seen().stored_pairs(), 1000u);
  bcp.relabel(shrunk);
  bcp.seen().column(7, after);
  for (std::size_t k = 0; k < 40; ++k) EXPECT_NEAR(after[k], before[k], 1e-9);
}

TEST(SparseCooccurrence, LearnsTenThousandLabels) {
  const auto stream = topics(20, 10'000);
  Bcp bcp = learnt(stream);
  Scores scores;
  ASSERT_TRUE(bcp.correct(stream[3], {.anchor_confidence = 0.01}, scores));
  EXPECT_GE(scores.anchor, 0);
  EXPECT_LT(bcp.seen().stored_pairs(), 3'000'000u);
}

// Novelty

TEST(NoveltyGate, LearnsEveryFrameWhenItIsOff) {
  NoveltyGate gate;
  const std::vector<float> v{1, 0};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(gate.admit(v, 0.0, {}));
}

TEST(NoveltyGate, LearnsACopyOnlyAfterTheInterval) {
  NoveltyGate gate;
  const NoveltySettings settings{.distance = 0.02, .interval = 2};
  const std::vector<float> v{1, 0}, other{0, 1};
  EXPECT_TRUE(gate.admit(v, 0.0, settings));
  EXPECT_FALSE(gate.admit(v, 1.9, settings));
  EXPECT_TRUE(gate.admit(other, 1.95, settings));
  EXPECT_FALSE(gate.admit(other, 3.9, settings));
  EXPECT_TRUE(gate.admit(other, 3.95, settings));
}

TEST(NoveltyGate, RestartsTheIntervalWhenTimeRunsBack) {
  NoveltyGate gate;
  const NoveltySettings settings{.distance = 0.02, .interval = 2};
  const std::vector<float> v{1, 0};
  EXPECT_TRUE(gate.admit(v, 100.0, settings));
  EXPECT_FALSE(gate.admit(v, 5.0, settings));
  EXPECT_FALSE(gate.admit(v, 6.9, settings));
  EXPECT_TRUE(gate.admit(v, 7.0, settings));
}

TEST(NoveltyGate, UsesOnlyTheDistanceWithoutTimestamps) {
  NoveltyGate gate;
  const NoveltySettings settings{.distance = 0.02, .interval = 2};
  const std::vector<float> v{1, 0}, other{0.9f, 0.436f};
  EXPECT_TRUE(gate.admit(v, {}, settings));
  EXPECT_FALSE(gate.admit(v, {}, settings));
  EXPECT_TRUE(gate.admit(other, {}, settings));
}

}  // namespace
}  // namespace bcp::adapt
