// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The prior of a fleet as a sum over its nodes, with random streams, labels and corrections: it does not depend on the
// order of nodes or reads, reading twice changes nothing, and it is what one stream with all frames would have learnt.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "fleet/siblings.hpp"
#include "fleet_support.hpp"

namespace bcp::fleet {
namespace {

using test::kThings;
using test::Labels;

using Distribution = std::vector<double>;

Distribution random_distribution(std::size_t labels, std::mt19937& random) {
  std::exponential_distribution<double> value(1);
  Distribution p(labels);
  for (double& each : p) each = std::pow(value(random), 5) + 1e-9;
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& each : p) each /= sum;
  return p;
}

// A labelled frame, or a click.
void teach(decide::Taught& taught, std::mt19937& random) {
  std::normal_distribution<double> score(0, 2);
  // Streams with different prior tables have different variances.
  const auto subject = [&](std::size_t k) {
    const double variance = 0.25 * static_cast<double>(1 + random() % 4);
    return decide::Taught::Subject{kThings[k], variance, score(random), random() % 2 == 0};
  };
  if (random() % 2 == 0) return taught.say(subject(random() % kThings.size()), random() % 2 == 0);
  std::vector<decide::Taught::Subject> subjects;
  std::vector<decide::Taught::Anchor> anchors;
  const Distribution p = random_distribution(kThings.size(), random);
  for (std::size_t k = 0; k < kThings.size(); ++k) {
    subjects.push_back(subject(k));
    anchors.push_back({kThings[k], p[k]});
  }
  taught.say_all(subjects, anchors);
}

struct State {
  adapt::Cooccurrence seen{kThings.size()};
  decide::Taught taught;
};

State random_state(std::mt19937& random) {
  State state;
  for (std::size_t i = random() % 40; i > 0; --i) state.seen.learn(random_distribution(kThings.size(), random), 1);
  for (std::size_t i = random() % 6; i > 0; --i) teach(state.taught, random);
  return state;
}

State sum_of(const State& a, const State& b) {
  State sum = a;
  sum.seen.add(b.seen);
  sum.taught.add(b.taught);
  return sum;
}

void expect_near(double a, double b, double relative) {
  EXPECT_NEAR(a, b, relative * std::max(1.0, std::abs(b)));
}

void expect_near(const decide::Taught& a, const decide::Taught& b, double relative) {
  EXPECT_EQ(a.statements(), b.statements());
  expect_near(a.offset(), b.offset(), relative);
  expect_near(a.variance(), b.variance(), relative);
  ASSERT_EQ(a.offsets().size(), b.offsets().size());
  for (const auto& [name, offset] : a.offsets()) {
    const auto other = b.offsets().at(name);
    expect_near(offset.mean, other.mean, relative);
    expect_near(offset.variance, other.variance, relative);
    EXPECT_EQ(offset.initial, other.initial);
  }
  ASSERT_EQ(a.together().size(), b.together().size());
  for (const auto& [label, row] : a.together())
    for (const auto& [anchor, count] : row) expect_near(count, b.together().at(label).at(anchor), relative);
  for (const auto& [anchor, count] : a.mass()) expect_near(count, b.mass().at(anchor), relative);
}

void expect_near(const State& a, const State& b, double relative) {
  test::expect_equal(a.seen, b.seen, relative);
  expect_near(a.taught, b.taught, relative);
}

TEST(FleetSum, IsCommutativeAndAssociative) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const State a = random_state(random), b = random_state(random), c = random_state(random);
    expect_near(sum_of(a, b), sum_of(b, a), 1e-9);
    expect_near(sum_of(sum_of(a, b), c), sum_of(a, sum_of(b, c)), 1e-9);
    expect_near(sum_of(sum_of(c, a), b), sum_of(sum_of(a, b), c), 1e-9);
  }
}

TEST(FleetSum, HasNothingOfAnEmptyNode) {
  std::mt19937 random(2);
  for (int i = 0; i < 50; ++i) {
    const State a = random_state(random);
    expect_near(sum_of(a, State()), a, 1e-12);
    expect_near(sum_of(State(), a), a, 1e-12);
  }
}

// Frames are spread over the nodes at random; half-life and novelty are off.
TEST(FleetSum, CountsLikeOneStreamWithAllFrames) {
  std::mt19937 random(3);
  for (int i = 0; i < 100; ++i) {
    State whole;
    std::vector<State> nodes(1 + random() % 6);
    for (int frame = 0; frame < 120; ++frame) {
      const Distribution p = random_distribution(kThings.size(), random);
      whole.seen.learn(p, 1);
      nodes[random() % nodes.size()].seen.learn(p, 1);
    }
    // Labelled frames count the same way: U and m of people's corrections.
    for (int frame = 0; frame < 10; ++frame) {
      const std::mt19937 same = random;
      State& node = nodes[random() % nodes.size()];
      for (decide::Taught* each : {&whole.taught, &node.taught}) {
        std::mt19937 again = same;
        teach(*each, again);
      }
      random.discard(100);
    }
    State sum;
    for (const State& node : nodes) sum = sum_of(sum, node);
    test::expect_equal(sum.seen, whole.seen, 1e-9);
    EXPECT_EQ(sum.taught.statements(), whole.taught.statements());
    for (const auto& [label, row] : whole.taught.together())
      for (const auto& [anchor, count] : row) expect_near(sum.taught.together().at(label).at(anchor), count, 1e-9);
    for (const auto& [anchor, count] : whole.taught.mass()) expect_near(sum.taught.mass().at(anchor), count, 1e-9);
  }
}

// Statistics of few labels are dense, but a value may claim otherwise.
TEST(FleetSum, AddsStatisticsOfTheOtherStorage) {
  using Storage = adapt::Cooccurrence::Storage;
  std::mt19937 random(5);
  Siblings siblings;
  adapt::Cooccurrence whole(kThings.size());
  for (const Storage storage : {Storage::kDense, Storage::kSparse}) {
    adapt::Cooccurrence seen(kThings.size(), storage);
    for (int frame = 0; frame < 20; ++frame) {
      const Distribution p = random_distribution(kThings.size(), random);
      seen.learn(p, 1);
      whole.learn(p, 1);
    }
    const std::string session(32, storage == Storage::kDense ? 'd' : 'e');
    const auto value = pack({session, 1}, {.model = "m", .labels = kThings, .seen = seen.parts()});
    ASSERT_TRUE(value);
    siblings.set(session, *value, *unpack(*value));
  }
  const auto sum = siblings.sum_for(kThings);
  ASSERT_TRUE(sum);
  test::expect_equal(sum->seen, whole, 1e-5);
}

// The state of a reader: values of nodes, in any order, again and again, old ones before new ones.
TEST(FleetSum, DoesNotDependOnTheOrderOrNumberOfReads) {
  std::mt19937 random(4);
  const Labels others = {"sofa", "bird", "cat"};
  for (int i = 0; i < 30; ++i) {
    const std::size_t nodes = 1 + random() % 6;
    std::vector<std::vector<std::string>> versions(nodes);  // of each node, oldest first
    for (std::size_t n = 0; n < nodes; ++n) {
      const Labels& labels = random() % 3 == 0 ? others : kThings;
      State state{adapt::Cooccurrence(labels.size()), {}};
      const std::string session = std::string(31, '0') + static_cast<char>('a' + n);
      for (std::uint64_t version = 1; version <= 1 + random() % 3; ++version) {
        for (int frame = 0; frame < 20; ++frame) state.seen.learn(random_distribution(labels.size(), random), 1);
        teach(state.taught, random);
        const auto value = pack({session, version},
                                {.model = "m", .labels = labels, .seen = state.seen.parts(), .taught = state.taught});
        ASSERT_TRUE(value);
        versions[n].push_back(*value);
      }
    }
    const auto read = [](Siblings& siblings, std::size_t node, const std::string& value) {
      siblings.set("node " + std::to_string(node), value, *unpack(value));
    };
    Siblings once, often;
    for (std::size_t n = 0; n < nodes; ++n) read(once, n, versions[n].back());
    // Every version of each node in order, some twice, the nodes mixed.
    std::vector<std::size_t> next(nodes, 0), order;
    for (std::size_t n = 0; n < nodes; ++n) order.insert(order.end(), versions[n].size() + 2, n);
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t n : order) {
      read(often, n, versions[n][std::min(next[n], versions[n].size() - 1)]);
      ++next[n];
    }
    ASSERT_EQ(once.size(), nodes);
    for (const Labels& labels : {kThings, others}) {
      const auto a = once.sum_for(labels), b = often.sum_for(labels);
      ASSERT_EQ(a == nullptr, b == nullptr);
      if (a) {
        EXPECT_EQ(a->seen.parts(), b->seen.parts());  // to the last bit
      }
    }
    EXPECT_EQ(once.taught(), often.taught());
  }
}

}  // namespace
}  // namespace bcp::fleet
