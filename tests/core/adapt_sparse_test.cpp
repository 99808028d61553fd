// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Sparse statistics against dense ones: exact until samples are grouped, and close to it after that.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "adapt/bcp.hpp"
#include "adapt/label_rows.hpp"
#include "adapt/sample_groups.hpp"

namespace bcp::adapt {
namespace {

using Storage = Cooccurrence::Storage;

// Pictures of one of twenty topics with four labels each.
std::vector<std::vector<double>> planted(std::size_t labels, std::size_t count) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(20, 1.5);
  std::gamma_distribution<double> visible(3, 8.0 / 3);
  std::vector<std::vector<double>> logits(count, std::vector<double>(labels));
  for (auto& frame : logits) {
    for (double& s : frame) s = noise(random);
    const std::size_t topic = random() % 20;
    for (int i = 0; i < 4; ++i) frame[(topic + 20 * (random() % 20)) % labels] += visible(random);
  }
  return logits;
}

struct Difference {
  double squares = 0, largest = 0, count = 0;
  double rms() const { return std::sqrt(squares / count); }
};

// Of the corrections of the last quarter.
Difference difference(std::size_t labels, std::size_t count, const BcpSettings& settings) {
  Bcp dense{Cooccurrence(labels, Storage::kDense)}, sparse{Cooccurrence(labels, Storage::kSparse)};
  Scores exact, near;
  Difference all;
  std::size_t t = 0;
  for (const auto& frame : planted(labels, count)) {
    EXPECT_TRUE(dense.correct(frame, settings, exact));
    EXPECT_TRUE(sparse.correct(frame, settings, near));
    for (std::size_t k = 0; k < labels && t >= count * 3 / 4; ++k) {
      if (exact.correction[k] == 0) continue;
      const double error = std::abs(near.correction[k] - exact.correction[k]);
      all.squares += error * error;
      all.largest = std::max(all.largest, error);
      ++all.count;
    }
    dense.learn(exact, settings);
    sparse.learn(near, settings);
    ++t;
  }
  EXPECT_GT(all.count, 0);
  return all;
}

// Both presets: the paper's rule uses one anchor, `video` all labels, shrinkage and a half-life.
TEST(SparseCorrections, EqualDenseOnesUntilSamplesAreGrouped) {
  constexpr std::size_t kLabels = 400, kSamples = 300;
  ASSERT_LE(kSamples, SampleGroups::most_groups(kLabels));
  for (const Preset preset : {Preset::kPaper, Preset::kVideo})
    EXPECT_LT(difference(kLabels, kSamples, preset_settings(preset).bcp).largest, 1e-4);
}

// The bound of README.md, with many more samples than groups.
TEST(SparseStatistics, AreWithinTheDocumentedBound) {
  constexpr std::size_t kLabels = 250;
  Cooccurrence dense(kLabels, Storage::kDense), sparse(kLabels, Storage::kSparse);
  Bcp softmax(kLabels);
  Scores scores;
  double largest = 0;
  for (const auto& frame : planted(kLabels, 2 * SampleGroups::most_groups(kLabels))) {
    ASSERT_TRUE(softmax.correct(frame, {}, scores));
    dense.learn(scores.zero_shot_probability, 0.9995);
    sparse.learn(scores.zero_shot_probability, 0.9995);
  }
  for (std::size_t k = 0; k < kLabels; ++k) {
    EXPECT_NEAR(sparse.single()[k], dense.single()[k], 1e-9 * dense.single()[k]);
    for (std::size_t a = 0; a < kLabels; ++a) {
      const double bound = kFloor * (dense.single()[k] + dense.single()[a]), exact = dense.pair(k, a);
      const double error = std::abs(sparse.pair(k, a) - exact);
      ASSERT_LE(error, bound + 1e-6 * exact) << k << ", " << a;
      largest = std::max(largest, error);
    }
  }
  EXPECT_GT(largest, 0);  // samples were grouped
}

struct Pair {
  Cooccurrence dense, sparse;
};

// With more samples than groups: twice as many.
Pair learnt(std::size_t labels, unsigned parts = 1, unsigned part = 0) {
  Pair both{Cooccurrence(labels, Storage::kDense), Cooccurrence(labels, Storage::kSparse)};
  Bcp softmax(labels);
  Scores scores;
  unsigned t = 0;
  for (const auto& frame : planted(labels, 2 * SampleGroups::most_groups(labels))) {
    if (t++ % parts != part) continue;
    EXPECT_TRUE(softmax.correct(frame, {}, scores));
    both.dense.learn(scores.zero_shot_probability, 0.9995);
    both.sparse.learn(scores.zero_shot_probability, 0.9995);
  }
  return both;
}

// Only samples in which both labels are faint are estimated: their sum is at most kFloor times the smaller faint part.
void expect_rows_exact(const Cooccurrence& dense, const Cooccurrence& sparse) {
  const std::vector<double> faint = sparse.parts().eras[0].faint;
  double largest = 0, heaviest = 0;
  for (std::size_t k = 0; k < dense.labels(); ++k) {
    heaviest = std::max(heaviest, dense.single()[k]);
    for (std::size_t a = 0; a < dense.labels(); ++a) {
      const double exact = dense.pair(k, a), error = std::abs(sparse.pair(k, a) - exact);
      ASSERT_LE(error, kFloor * std::min(faint[k], faint[a]) + 1e-5 * exact) << k << ", " << a;
      largest = std::max(largest, error);
    }
  }
  EXPECT_GT(largest, 0);  // samples were grouped
  EXPECT_GT(heaviest, 1);
}

TEST(SparseRows, LeaveOnlyPairsOfTwoFaintLabelsToTheGroups) {
  const Pair both = learnt(250);
  ASSERT_FALSE(both.sparse.parts().rows.empty());
  expect_rows_exact(both.dense, both.sparse);
}

TEST(SparseRows, SurviveACopy) {
  const Pair both = learnt(250);
  const Cooccurrence::Parts parts = both.sparse.parts();
  ASSERT_FALSE(parts.rows.empty());
  const Cooccurrence again(parts);
  EXPECT_EQ(again.parts().rows, parts.rows);
  expect_rows_exact(both.dense, again);
}

TEST(SparseRows, AddUp) {
  Pair first = learnt(250, 2, 0);
  const Pair second = learnt(250, 2, 1);
  first.dense.add(second.dense);
  first.sparse.add(second.sparse);
  first.dense.learn(std::vector<double>(250, 1.0 / 250), 1);
  first.sparse.learn(std::vector<double>(250, 1.0 / 250), 1);
  expect_rows_exact(first.dense, first.sparse);
}

TEST(SparseRows, FollowTheirLabelsToAnotherList) {
  constexpr std::size_t kLabels = kDenseLabels + 52;
  Cooccurrence seen(kLabels);
  std::vector<double> p(kLabels, 1e-4 / kLabels);
  // More samples than groups; label 5 is likely in half of them, and the faint label 100 only with it.
  for (std::size_t t = 0; t <= SampleGroups::most_groups(kLabels) + 10; ++t) {
    p[5] = t % 2 ? 0.9 : 0, p[6] = t % 2 ? 0 : 0.9, p[100] = t % 2 ? 5e-4 : 1e-9;
    seen.learn(p, 1);
  }
  std::vector<int> from(kLabels);
  for (std::size_t i = 0; i < kLabels; ++i) from[i] = static_cast<int>(kLabels - 1 - i);
  from[0] = -1;
  const Cooccurrence::Parts before = seen.parts();
  const Cooccurrence turned = seen.relabelled(from);
  const Cooccurrence::Parts after = turned.parts();
  ASSERT_EQ(before.rows.size(), 2u);
  ASSERT_EQ(after.rows.size(), 2u);
  EXPECT_EQ(after.rows[1].label, kLabels - 1 - 5);
  EXPECT_EQ(after.rows[1].values[kLabels - 1 - 100], before.rows[0].values[100]);
  EXPECT_EQ(after.rows[1].values[0], 0);  // the new label
  EXPECT_NEAR(turned.pair(kLabels - 1 - 5, kLabels - 1 - 100), seen.pair(5, 100), 1e-6 * seen.pair(5, 100));
}

// A file of an earlier version has no rows: they are estimated.
TEST(SparseRows, AreEstimatedIfAFileHasNone) {
  const Pair both = learnt(250);
  Cooccurrence::Parts parts = both.sparse.parts();
  parts.rows.clear();
  Cooccurrence again(parts);
  for (std::size_t k = 0; k < 250; ++k) {
    for (std::size_t a = 0; a < 250; ++a)
      ASSERT_LE(std::abs(again.pair(k, a) - both.dense.pair(k, a)),
                kFloor * (both.dense.single()[k] + both.dense.single()[a]) + 1e-5 * both.dense.pair(k, a));
  }
  EXPECT_TRUE(again.parts().rows.empty());  // they still follow from the groups
  again.learn(std::vector<double>(250, 1.0 / 250), 1);
  EXPECT_FALSE(again.parts().rows.empty());
}

// Reading a column skips what rows replace, which a single pair looks up.
TEST(SparseRows, AreReadAlikeInColumnsAndPairs) {
  Cooccurrence::Parts parts = learnt(250).sparse.parts();
  ASSERT_GT(parts.rows.size(), 3u);
  std::vector<double> column(250);
  for (const bool are_complete : {true, false}) {
    const std::uint32_t dropped = parts.rows.back().label;
    if (!are_complete) parts.rows.pop_back();
    const Cooccurrence seen(parts);
    for (std::size_t a = 0; a < 250; ++a) {
      seen.column(a, column);
      for (std::size_t k = 0; k < 250; ++k) {
        const double pair = seen.pair(k, a);
        ASSERT_NEAR(column[k], pair, 1e-5 * pair) << k << ", " << a << ", without " << dropped;
      }
    }
  }
}

TEST(SparseRows, AreReplacedByTheHeaviestInAnyOrder) {
  constexpr std::size_t kLabels = std::size_t{1} << 22;  // room for two
  const auto kept = [](const std::vector<std::uint32_t>& order) {
    LabelRows rows(kLabels);
    for (const std::uint32_t label : {7u, 8u, 9u}) rows.add_weight(label, label == 8 ? 2 : 1);
    std::vector<LabelRow> all;
    for (const std::uint32_t label : order) all.push_back({label, std::vector<float>(kLabels)});
    rows.replace(std::move(all));
    return std::vector{rows.has(7), rows.has(8), rows.has(9)};
  };
  const std::vector expected{true, true, false};  // of equal ones, the first label
  EXPECT_EQ(kept({7, 8, 9}), expected);
  EXPECT_EQ(kept({9, 8, 7}), expected);
}

TEST(SparseRows, BelongToTheHeaviestLabels) {
  LabelRows rows(std::size_t{1} << 22);  // room for two
  const auto add = [&](std::uint32_t label, double weight) {
    rows.add_weight(label, weight);
    if (!rows.has(label) && rows.has_room(label)) rows.insert({label, std::vector<float>(std::size_t{1} << 22)});
  };
  ASSERT_EQ(LabelRows::most_rows(std::size_t{1} << 22), 2u);
  add(7, 1), add(8, 2), add(9, 1.5);
  EXPECT_FALSE(rows.has(9));
  add(9, 1);
  EXPECT_TRUE(rows.has(8) && rows.has(9) && !rows.has(7));
  rows.scale(0.4, 0.9);
  EXPECT_TRUE(!rows.has(8) && rows.has(9) && rows.all().size() == 1);
}

// README.md has the measured error with thousands of labels.
TEST(SparseCorrections, StayCloseToDenseOnesAfterThat) {
  constexpr std::size_t kLabels = 400;
  const std::size_t samples = 2 * SampleGroups::most_groups(kLabels);
  const Difference found = difference(kLabels, samples, preset_settings(Preset::kVideo).bcp);
  EXPECT_LT(found.rms(), 0.01);
}

}  // namespace
}  // namespace bcp::adapt
