// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Merging snapshots: as learning all samples in one stream, in any order and grouping, feedback included.

#include "prior/merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "adapt/softmax.hpp"
#include "prior/learnt.hpp"

namespace bcp::prior {
namespace {

using Names = std::vector<std::string>;

std::vector<std::vector<double>> samples(std::size_t labels, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> logit(0, 3);
  std::vector<std::vector<double>> all(count, std::vector<double>(labels));
  for (auto& p : all) {
    for (double& x : p) x = logit(random);
    adapt::softmax(p, p);
  }
  return all;
}

decide::Taught lessons(const Names& names, unsigned seed) {
  decide::Taught taught;
  std::mt19937 random(seed);
  for (int i = 0; i < 5; ++i) {
    const std::string& label = names[random() % names.size()];
    taught.say({.name = label, .variance = 1, .score = 0.3 * i - 1, .present = random() % 2 == 0}, random() % 2 == 0);
  }
  std::vector<decide::Taught::Subject> subjects;
  for (const std::string& name : names) subjects.push_back({name, 1, 0.1, random() % 2 == 0});
  const std::vector<decide::Taught::Anchor> anchors{{names[0], 0.7}, {"street", 0.3}};
  taught.say_all(subjects, anchors);
  return taught;
}

Snapshot prior_of(const Names& names, std::size_t count, unsigned seed) {
  adapt::Cooccurrence seen(names.size());
  for (const auto& p : samples(names.size(), count, seed)) seen.learn(p, 1);
  return {
      "model", names, seen, false, lessons(names, seed), {{"camera " + std::to_string(seed), "toy", seed, 1, 2, 3}}};
}

void expect_near(double a, double b, const std::string& what) {
  EXPECT_NEAR(a, b, 1e-9 * std::max(1.0, std::abs(b))) << what;
}

void expect_same_counts(const std::map<std::string, double>& a, const std::map<std::string, double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, count] : a) expect_near(count, b.at(name), name);
}

void expect_same(const Snapshot& a, const Snapshot& b) {
  EXPECT_EQ(a.model, b.model);
  ASSERT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.origins, b.origins);
  expect_near(a.seen.samples(), b.seen.samples(), "n");
  for (std::size_t i = 0; i < a.labels.size(); ++i) {
    for (std::size_t j = 0; j < a.labels.size(); ++j) {
      const std::string what = a.labels[i] + ", " + a.labels[j];
      expect_near(a.seen.pair(i, j), b.seen.pair(i, j), what);
      const auto x = a.seen.since(i, j), y = b.seen.since(i, j);
      expect_near(x.samples, y.samples, what);
      expect_near(x.single[i], y.single[i], what);
    }
  }
  EXPECT_EQ(a.taught.statements(), b.taught.statements());
  expect_near(a.taught.offset(), b.taught.offset(), "g");
  expect_near(a.taught.variance(), b.taught.variance(), "variance of g");
  ASSERT_EQ(a.taught.offsets().size(), b.taught.offsets().size());
  for (const auto& [name, offset] : a.taught.offsets()) {
    expect_near(offset.mean, b.taught.offsets().at(name).mean, name);
    expect_near(offset.variance, b.taught.offsets().at(name).variance, name);
  }
  expect_same_counts(a.taught.mass(), b.taught.mass());
  ASSERT_EQ(a.taught.together().size(), b.taught.together().size());
  for (const auto& [name, counts] : a.taught.together()) expect_same_counts(counts, b.taught.together().at(name));
}

// Equal lists, another order, parts of each other, nothing in common; equal and different numbers of samples.
std::vector<std::vector<Snapshot>> triples() {
  const Names abc{"a", "b", "c"}, cab{"c", "a", "b"}, bcd{"b", "c", "d"}, xy{"x", "y"},
      abcdxy{"a", "b", "c", "d", "x", "y"};
  std::vector<std::vector<Snapshot>> all;
  for (const auto& lists : std::vector<std::vector<Names>>{
           {abc, abc, abc}, {abc, cab, abc}, {abc, bcd, cab}, {abc, xy, bcd}, {abcdxy, xy, abc}, {bcd, abcdxy, bcd}}) {
    for (const std::vector<std::size_t>& counts : {std::vector<std::size_t>{20, 20, 20}, {5, 30, 0}, {7, 11, 13}}) {
      std::vector<Snapshot> three;
      for (unsigned i = 0; i < 3; ++i) three.push_back(prior_of(lists[i], counts[i], 10 * i + 1));
      all.push_back(std::move(three));
    }
  }
  return all;
}

TEST(PriorMerge, IsCommutative) {
  for (const auto& three : triples()) {
    const Snapshot one = merged(three[0], three[1]), other = merged(three[1], three[0]);
    expect_same(one, other);
    EXPECT_EQ(encode_snapshot(one).size(), encode_snapshot(other).size());
  }
}

TEST(PriorMerge, IsAssociative) {
  for (const auto& three : triples()) {
    expect_same(merged(merged(three[0], three[1]), three[2]), merged(three[0], merged(three[1], three[2])));
    expect_same(merged(merged(three[2], three[0]), three[1]), merged(three[0], merged(three[1], three[2])));
  }
}

TEST(PriorMerge, EqualsLearningTheConcatenatedStreams) {
  const Names names{"a", "b", "c", "d", "e"};
  adapt::Cooccurrence all(names.size());
  std::optional<Snapshot> sum;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const Snapshot next = prior_of(names, 5 * seed, seed);
    for (const auto& p : samples(names.size(), 5 * seed, seed)) all.learn(p, 1);
    sum = sum ? merged(*sum, next) : next;
  }
  expect_near(sum->seen.samples(), all.samples(), "n");
  for (std::size_t i = 0; i < names.size(); ++i) {
    expect_near(sum->seen.single()[i], all.single()[i], names[i]);
    for (std::size_t j = 0; j < names.size(); ++j) expect_near(sum->seen.pair(i, j), all.pair(i, j), names[i]);
  }
}

// Until samples are grouped (adapt/sample_groups.hpp), sparse statistics are as exact, up to their floats.
TEST(PriorMerge, AddsSparseStatistics) {
  Names names;
  for (std::size_t k = 0; k < adapt::kDenseLabels + 10; ++k) names.push_back("label " + std::to_string(k));
  const Snapshot a = prior_of(names, 12, 1), b = prior_of(names, 9, 2);
  const Snapshot both = merged(a, b), other = merged(b, a);
  for (std::size_t i = 0; i < names.size(); i += 97) {
    for (std::size_t j = 0; j < names.size(); j += 89) {
      const double exact = a.seen.pair(i, j) + b.seen.pair(i, j);
      EXPECT_NEAR(both.seen.pair(i, j), exact, 1e-6 * exact);
      EXPECT_NEAR(both.seen.pair(i, j), other.seen.pair(i, j), 1e-6 * exact);
    }
  }
}

TEST(PriorMerge, IsReadBackFromAFile) {
  for (const auto& three : triples()) {
    const Snapshot sum = merged(merged(three[0], three[1]), three[2]);
    const Result<Snapshot> read = decode_snapshot(encode_snapshot(sum));
    ASSERT_TRUE(read) << read.error().message;
    expect_same(*read, sum);
  }
}

TEST(PriorMerge, RefusesOtherModelsAndTheSameStreamTwice) {
  const Snapshot a = prior_of({"a", "b"}, 5, 1);
  Snapshot b = prior_of({"a", "b"}, 5, 2);
  EXPECT_TRUE(check_addable(a.model, a.origins, b));
  b.model = "another";
  const Status other = check_addable(a.model, a.origins, b);
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("another model"), std::string::npos);
  b.model.clear();  // unknown
  EXPECT_TRUE(check_addable(a.model, a.origins, b));
  b.origins = {{"camera 1", "toy", 1, 1, 9, 30}};  // a later file of the same stream
  const Status twice = check_addable(a.model, a.origins, b);
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().message.find("camera 1"), std::string::npos);
  b.origins[0].id = 2;  // another camera of that name
  EXPECT_TRUE(check_addable(a.model, a.origins, b));
}

// Cameras of one name that were switched on in the same second.
TEST(PriorMerge, KeepsOneEntryOfEachStream) {
  const Origin early{"camera", "toy", 1, 100, 200, 5}, other{"camera", "toy", 2, 100, 210, 6},
      late{"camera", "toy", 1, 100, 300, 9};
  const std::vector<Origin> expected{other, late};
  EXPECT_EQ(united({early, other}, {late}), expected);
  EXPECT_EQ(united({late}, {other, early}), expected);
  const Origin twin{"camera", "toy", 3, 100, 300, 9};  // equal except for its id
  EXPECT_EQ(united({late}, {twin}), united({twin}, {late}));
}

// Files, and nodes of a fleet, may claim everything that a reader accepts.
TEST(PriorMerge, OfTheLargestNumbersIsFiniteAndReadable) {
  const Names names{"a", "b"};
  Snapshot absurd = prior_of(names, 3, 1);
  adapt::Cooccurrence::Parts seen = absurd.seen.parts();
  seen.eras[0] = {1e30, {4e29, 6e29}, {}};
  seen.triangle = {3e29, 1e29, 5e29};
  absurd.seen = adapt::Cooccurrence(seen);
  absurd.taught = decide::Taught({.g = 1e30,
                                  .g_variance = 1e6,
                                  .statements = 1,
                                  .offsets = {{"a", {-1e30, 1e-30, 1e6}}, {"b", {1, 100, 1}}},
                                  .together = {{"a", {{"b", 1e30}}}},
                                  .mass = {{"b", 1e30}}});
  const auto read = decode_snapshot(encode_snapshot(absurd));
  ASSERT_TRUE(read) << read.error().message;
  const Snapshot sum = merged(merged(*read, absurd), merged(absurd, *read));
  EXPECT_TRUE(std::isfinite(sum.seen.samples()));
  EXPECT_TRUE(std::isfinite(sum.taught.offset()) && sum.taught.variance() > 0);
  for (const auto& [name, offset] : sum.taught.offsets())
    EXPECT_TRUE(std::isfinite(offset.mean) && offset.variance > 0) << name << " " << offset.mean;
  EXPECT_EQ(sum.taught.offsets().at("b").variance, 1);  // not worse than before any correction
  adapt::Bcp bcp(sum.seen, true);
  for (const double shrinkage : {0.0, 5.0}) {
    adapt::Scores scores;
    ASSERT_TRUE(bcp.correct(std::vector{9.0, 1.0}, {.shrinkage = shrinkage}, scores));
    for (const double p : scores.probability) EXPECT_TRUE(p >= 0 && p <= 1) << p;
  }
  // Variances that no program writes: the sum of two such files is readable.
  absurd = prior_of(names, 3, 1);
  absurd.taught = decide::Taught({.g_variance = 1e6, .offsets = {{"a", {1, 100, 1}}}});
  const auto again = decode_snapshot(encode_snapshot(merged(absurd, absurd)));
  EXPECT_TRUE(again) << again.error().message;
}

TEST(PriorMerge, OfARunningStreamIsTheSame) {
  const Names names{"a", "b", "c"};
  const Snapshot own = prior_of(names, 12, 1), other = prior_of({"c", "x", "a"}, 9, 2);
  Learnt learnt(names);
  learnt.add(own);
  EXPECT_EQ(learnt.merge(other), 2u);
  const SnapshotParts after = learnt.snapshot();
  const adapt::Cooccurrence seen(after.seen), expected = merged(own, other).for_labels(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = 0; j < names.size(); ++j) expect_near(seen.pair(i, j), expected.pair(i, j), names[i]);
  }
  EXPECT_EQ(after.taught.statements(), own.taught.statements() + other.taught.statements());
  EXPECT_EQ(after.origins, united(own.origins, other.origins));
  EXPECT_EQ(learnt.merge(prior_of({"x", "y"}, 9, 3)), 0u);
  EXPECT_EQ(learnt.origins(), after.origins);
}

}  // namespace
}  // namespace bcp::prior
