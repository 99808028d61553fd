// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Ids of nodes: what a restarted process gets back, and two processes with the same id. Nothing is counted twice.

#include "fleet/identity.hpp"

#include <gtest/gtest.h>

#include "fleet_support.hpp"

namespace bcp::fleet {
namespace {

using test::Camera;
using test::expect_equal;
using test::Redis;
using test::rounds;
using test::stored;

const Machine kElsewhere{"e15e3e3e"};

adapt::Cooccurrence own_of(const Camera& camera) {
  return adapt::Cooccurrence(camera.learnt->snapshot().seen);
}

TEST(FleetIdentity, ContinuesItsContributionAfterARestart) {
  const Redis redis;
  Camera all;
  all.learn(60, 1);
  all.learn(10, 2);
  {
    Camera before;
    before.learn(60, 1);
    before.start(redis.address(), "a");
    rounds({&before});
    EXPECT_TRUE(before.node->round(true));
  }
  Camera after;
  after.learn(10, 2);  // before Redis was reached
  after.start(redis.address(), "a");
  rounds({&after});
  expect_equal(own_of(after), own_of(all), 1e-6);
  expect_equal(stored(redis, "a")->content.seen, own_of(all), 1e-6);
  EXPECT_EQ(after.learnt->samples(), after.learnt->own_samples());
}

TEST(FleetIdentity, IsTakenAtOnceFromAKilledProcessOfThisMachine) {
  const Redis redis;
  auto killed = std::make_unique<Camera>();
  killed->learn(25, 1);
  killed->start(redis.address(), "a");
  rounds({killed.get()});
  killed.reset();  // without a last round
  Camera next;
  next.learn(5, 2);
  next.start(redis.address(), "a");
  rounds({&next});
  EXPECT_EQ(next.node->id(), "a");
  EXPECT_NEAR(next.learnt->own_samples(), 30, 1e-4);
  EXPECT_NEAR(next.learnt->samples(), 30, 1e-4);
  EXPECT_TRUE(next.faults.empty());
}

TEST(FleetIdentity, IsAnotherOneForTheSecondProcessOfThisMachine) {
  const Redis redis;
  Camera first, second, third;
  first.learn(20, 1);
  second.learn(30, 2);
  third.learn(40, 3);
  first.start(redis.address(), "a");
  rounds({&first});
  second.start(redis.address(), "a");
  third.start(redis.address(), "a");
  rounds({&second, &third, &first});
  EXPECT_EQ(first.node->id(), "a");
  EXPECT_EQ(second.node->id(), "a~2");
  EXPECT_EQ(third.node->id(), "a~3");
  ASSERT_EQ(second.notes.size(), 1U);
  EXPECT_NE(second.notes[0].find("another process of this machine is the node a:"), std::string::npos);
  EXPECT_TRUE(second.faults.empty() && first.notes.empty());
  EXPECT_NEAR(first.learnt->samples(), 90, 1e-4);
  EXPECT_EQ(first.learnt->own_samples(), 20);
  // Another fleet, or another group of this one, is not concerned.
  Camera other;
  other.learn(5, 4);
  other.start(redis.address("yard"), "a");
  rounds({&other});
  EXPECT_EQ(other.node->id(), "a");
}

TEST(FleetIdentity, WaitsForAProcessOfAnotherMachine) {
  const Redis redis;
  Camera first, second;
  first.learn(20, 1);
  second.learn(30, 2);
  first.start(redis.address(), "a", kElsewhere);
  rounds({&first});
  second.start(redis.address(), "a");
  rounds({&second});
  EXPECT_FALSE(second.node->is_owned());
  EXPECT_NEAR(second.learnt->samples(), 50, 1e-4);  // uses what the first one has written
  // A sign of life: the later one takes another id and says so.
  first.learn(20, 3);
  rounds({&first, &second, &first});
  EXPECT_EQ(first.node->id(), "a");
  EXPECT_EQ(second.node->id(), "a~2");
  ASSERT_EQ(second.faults.size(), 1U);
  EXPECT_EQ(second.faults[0].first, Fault::kIdentity);
  EXPECT_TRUE(first.faults.empty());
  EXPECT_NEAR(first.learnt->samples(), 70, 1e-4);
  EXPECT_NEAR(second.learnt->samples(), 70, 1e-4);
}

TEST(FleetIdentity, IsTakenFromASilentProcessOfAnotherMachine) {
  const Redis redis;
  auto killed = std::make_unique<Camera>();
  killed->learn(25, 1);
  killed->start(redis.address(), "a", kElsewhere);
  rounds({killed.get()});
  killed.reset();
  Camera next;
  next.learn(5, 2);
  next.start(redis.address(), "a");
  EXPECT_TRUE(test::eventually([&] {
    rounds({&next}, 1);
    return next.node->is_owned();
  }));
  rounds({&next});
  EXPECT_EQ(next.node->id(), "a");
  EXPECT_NEAR(next.learnt->own_samples(), 30, 1e-4);
  EXPECT_NEAR(next.learnt->samples(), 30, 1e-4);
}

// A short run beside a process of another machine would lose what it has learnt.
TEST(FleetIdentity, IsAnotherOneForAProcessThatEndsWhileItWaits) {
  const Redis redis;
  Camera first, second;
  first.learn(20, 1);
  second.learn(30, 2);
  first.start(redis.address(), "a", kElsewhere);
  rounds({&first});
  second.start(redis.address(), "a");
  rounds({&second}, 1);
  EXPECT_TRUE(second.node->round(true));
  rounds({&first});
  EXPECT_EQ(second.node->id(), "a~2");
  EXPECT_NEAR(first.learnt->samples(), 50, 1e-4);
}

// Both have claimed the id, because the first was cut off for a while.
TEST(FleetIdentity, StaysWithTheEarlierOfTwoOwners) {
  const Redis redis;
  Camera first, second;
  first.start(redis.address(), "a", kElsewhere);
  rounds({&first}, 1);  // has a session, and nothing to write
  second.learn(30, 2);
  second.start(redis.address(), "a");
  rounds({&second});
  EXPECT_TRUE(second.node->is_owned());
  first.learn(20, 1);
  for (int i = 0; i < 3; ++i) {
    first.learn(1, 10 + static_cast<unsigned>(i));
    rounds({&first, &second}, 1);
  }
  rounds({&first, &second});
  EXPECT_EQ(first.node->id(), "a");
  EXPECT_EQ(second.node->id(), "a~2");
  EXPECT_NEAR(first.learnt->samples(), 53, 1e-4);
  EXPECT_NEAR(second.learnt->samples(), 53, 1e-4);
}

// The clock of Redis is set back by a day and forward by a month: entries look like those of the future and of the
// past.
TEST(FleetIdentity, SurvivesAClockOfRedisThatJumps) {
  const Redis redis;
  Camera a, b;
  a.learn(10, 1);
  b.learn(20, 2);
  a.start(redis.address(), "a");
  b.start(redis.address(), "b");
  rounds({&a, &b});
  const std::string index = index_key("cams");
  for (const std::int64_t jump : {86'400, -30 * 86'400}) {
    for (const char* id : {"a", "b"}) {
      Entry entry = *parse_entry(redis.call({"HGET", index, id}).text);
      entry.seen += jump;
      redis.call({"HSET", index, id, to_text(entry)});
    }
    a.learn(10, 3);
    b.learn(10, 4);
    rounds({&a, &b}, 3);
    EXPECT_NEAR(a.learnt->samples(), a.learnt->own_samples() + b.learnt->own_samples(), 1e-4);
    EXPECT_NEAR(b.learnt->samples(), a.learnt->samples(), 1e-4);
  }
  EXPECT_TRUE(a.faults.empty() && b.faults.empty());
}

}  // namespace
}  // namespace bcp::fleet
