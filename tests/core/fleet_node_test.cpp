// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Nodes of a fleet with a real Redis: what they share, and what each of them owns.

#include "fleet/node.hpp"

#include <gtest/gtest.h>

#include "fleet/status.hpp"
#include "fleet_support.hpp"

namespace bcp::fleet {
namespace {

using test::Camera;
using test::expect_equal;
using test::kThings;
using test::random_logits;
using test::Redis;
using test::rounds;
using test::stored;

adapt::Cooccurrence own(const Camera& camera) {
  return adapt::Cooccurrence(camera.learnt->snapshot().seen);
}

TEST(FleetNode, CorrectsLikeOneStreamThatSawEverything) {
  const Redis redis;
  Camera a, b, c, all;
  for (auto [camera, frames, seed] : {std::tuple(&a, 150, 1U), {&b, 90, 2U}, {&c, 40, 3U}}) {
    camera->learn(frames, seed);
    all.learn(frames, seed);
  }
  a.start(redis.address(), "a");
  b.start(redis.address(), "b");
  c.start(redis.address(), "c");
  rounds({&a, &b, &c});
  std::mt19937 random(9);
  for (int i = 0; i < 50; ++i) {
    const std::vector<double> logits = random_logits(kThings.size(), random);
    const adapt::Scores expected = all.correct(logits);
    for (Camera* each : {&a, &b, &c}) {
      const adapt::Scores scores = each->correct(logits);
      EXPECT_NEAR(scores.samples, 280, 1e-4);
      for (std::size_t k = 0; k < kThings.size(); ++k) EXPECT_NEAR(scores.corrected[k], expected.corrected[k], 1e-6);
    }
  }
}

TEST(FleetNode, WritesOnlyWhatItHasLearntItself) {
  const Redis redis;
  Camera a, b;
  a.start(redis.address(), "a");
  b.start(redis.address(), "b");
  for (unsigned i = 0; i < 5; ++i) {
    a.learn(20, i);
    b.learn(30, 100 + i);
    rounds({&a, &b});
  }
  EXPECT_NEAR(a.learnt->samples(), 250, 1e-4);
  EXPECT_EQ(a.learnt->own_samples(), 100);
  expect_equal(stored(redis, "a")->content.seen, own(a), 1e-6);
  expect_equal(stored(redis, "b")->content.seen, own(b), 1e-6);
  // Nothing new: nothing is written and nothing is read.
  const auto written = a.node->published();
  const auto received = a.node->traffic().received;
  rounds({&a}, 3);
  EXPECT_EQ(a.node->published(), written);
  EXPECT_LT(a.node->traffic().received - received, 2000U);
}

TEST(FleetNode, DropsNodesThatHaveExpired) {
  const Redis redis;
  Camera a, dead;
  a.learn(10, 1);
  dead.learn(20, 2);
  a.start(redis.address(), "a");
  dead.start(redis.address(), "dead");
  rounds({&dead, &a});
  EXPECT_NEAR(a.learnt->samples(), 30, 1e-4);
  // As if its last sign of life were longer ago than a week.
  const std::string index = index_key("cams");
  Entry entry = *parse_entry(redis.call({"HGET", index, "dead"}).text);
  entry.seen -= entry.expire + 1;
  redis.call({"HSET", index, "dead", to_text(entry)});
  rounds({&a});
  EXPECT_EQ(a.learnt->samples(), 10);
  EXPECT_EQ(redis.call({"HEXISTS", index, "dead"}).number, 0);
  EXPECT_GT(redis.call({"TTL", node_key("cams", "a")}).number, 600'000);
}

TEST(FleetNode, MatchesOtherLabelListsByName) {
  const Redis redis;
  Camera a, b("model", {"sofa", "bird", "cat"}), c("model", {"plane", "ship"});
  a.learn(40, 1);
  b.learn(30, 2);
  c.learn(20, 3);
  a.start(redis.address(), "a");
  b.start(redis.address(), "b");
  c.start(redis.address(), "c");
  rounds({&a, &b, &c});
  EXPECT_NEAR(a.learnt->samples(), 70, 1e-4);
  EXPECT_NEAR(b.learnt->samples(), 70, 1e-4);
  EXPECT_EQ(c.learnt->samples(), 20);
  EXPECT_TRUE(a.faults.empty());
  adapt::Cooccurrence sum = own(b).relabelled(adapt::rows_of(kThings, b.learnt->labels()));
  sum.add(own(a));
  Camera merged;
  EXPECT_TRUE(merged.learnt->absorb(sum, false));
  std::mt19937 random(4);
  for (int i = 0; i < 20; ++i) {
    const std::vector<double> logits = random_logits(kThings.size(), random);
    const auto expected = merged.correct(logits), scores = a.correct(logits);
    for (std::size_t k = 0; k < kThings.size(); ++k) EXPECT_NEAR(scores.corrected[k], expected.corrected[k], 1e-6);
  }
}

TEST(FleetNode, RefusesOtherModelsAndNamesThem) {
  const Redis redis;
  Camera a("0123456789abcdef"), b("fedcba9876543210");
  a.learn(10, 1);
  b.learn(20, 2);
  a.start(redis.address(), "a");
  b.start(redis.address(), "b");
  rounds({&a, &b}, 4);
  EXPECT_EQ(a.learnt->samples(), 10);
  ASSERT_EQ(a.faults.size(), 1U);
  EXPECT_EQ(a.faults[0].first, Fault::kModel);
  EXPECT_NE(a.faults[0].second.find("fedcba987654"), std::string::npos) << a.faults[0].second;
}

TEST(FleetNode, SharesPeoplesCorrections) {
  const Redis redis;
  Camera a, b;
  a.learn(5, 1);
  b.learn(5, 2);
  a.learnt->teach([](decide::Taught& taught) { taught.say({"cat", 1, -1, true}, true); });
  a.start(redis.address(), "a");
  b.start(redis.address(), "b");
  rounds({&a, &b});
  EXPECT_EQ(b.learnt->taught().statements(), 1U);
  EXPECT_GT(b.learnt->taught().sum().offsets().at("cat").mean, 0);
  EXPECT_TRUE(b.learnt->taught().copy().empty());
  EXPECT_TRUE(stored(redis, "b")->content.taught.empty());
  EXPECT_FALSE(b.learnt->is_changed() && b.learnt->taught().own_version() != 0);
}

TEST(FleetNode, ReportsTheStateOfAllNodes) {
  const Redis redis;
  Camera a, b;
  a.learn(10, 1);
  b.learn(20, 2);
  a.start(redis.address(), "a");
  b.start(redis.address(), "b");
  rounds({&a, &b});
  EXPECT_TRUE(b.node->round(true));
  redis.call({"HSET", index_key("cams"), "x", "garbage"});
  const auto status = read_status(redis.address());
  ASSERT_TRUE(status);
  ASSERT_EQ(status->nodes.size(), 2U);
  EXPECT_EQ(status->garbage, 1U);
  EXPECT_EQ(status->nodes[0].node, "a");
  EXPECT_EQ(status->nodes[0].samples, 10);
  EXPECT_EQ(status->nodes[0].labels, kThings.size());
  EXPECT_FALSE(status->nodes[0].left);
  EXPECT_TRUE(status->nodes[1].left);
  EXPECT_GT(status->nodes[1].bytes, 0U);
}

}  // namespace
}  // namespace bcp::fleet
