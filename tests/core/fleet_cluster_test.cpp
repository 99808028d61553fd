// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A Redis Cluster of three servers: keys are found wherever they are, also while they move.

#include <gtest/gtest.h>

#include <set>

#include "fleet_support.hpp"

namespace bcp::fleet {
namespace {

using test::Camera;
using test::eventually;
using test::Redis;
using test::rounds;

// Patient: a server that gets no processor for a while must not count as lost.
const std::vector<std::string> kClustered = {"--cluster-enabled", "yes", "--cluster-node-timeout", "30000"};

// Commands to one server, without following anything.
Reply ask(const Redis& redis, const std::vector<std::string>& words) {
  Stop never;
  Traffic traffic;
  const auto connection = Connection::open(redis.address(), {"127.0.0.1", redis.port()}, never, traffic);
  if (!connection) return {Reply::Kind::kError, connection.error().message};
  const auto reply = (*connection)->call(words);
  return reply ? *reply : Reply{Reply::Kind::kError, reply.error().message};
}

class FleetCluster : public ::testing::Test {
 protected:
  void SetUp() override {
    const Redis* all[] = {&one, &two, &three};
    const int first[] = {0, 5461, 10923, 16384};
    for (int i = 0; i < 3; ++i)
      ask(*all[i], {"CLUSTER", "ADDSLOTSRANGE", std::to_string(first[i]), std::to_string(first[i + 1] - 1)});
    for (int i = 1; i < 3; ++i) ask(one, {"CLUSTER", "MEET", "127.0.0.1", std::to_string(all[i]->port())});
    for (const Redis* each : all) {
      ASSERT_TRUE(eventually([&] {
        return ask(*each, {"CLUSTER", "INFO"}).text.find("cluster_state:ok") != std::string::npos;
      }));
    }
  }
  static std::string id_of(const Redis& redis) { return ask(redis, {"CLUSTER", "MYID"}).text; }

  Redis one{kClustered}, two{kClustered}, three{kClustered};
};

TEST_F(FleetCluster, FindsKeysOnAllServers) {
  std::vector<std::unique_ptr<Camera>> cameras;
  std::vector<Camera*> all;
  for (unsigned i = 0; i < 8; ++i) {
    all.push_back(cameras.emplace_back(std::make_unique<Camera>()).get());
    all.back()->learn(10, i);
    all.back()->start((i % 2 ? one : two).address(), "camera-" + std::to_string(i));
  }
  rounds(all, 3);
  for (Camera* each : all) EXPECT_NEAR(each->learnt->samples(), 80, 1e-4);
  std::set<std::string> moved;
  for (unsigned i = 0; i < 8; ++i) {
    const Reply reply = ask(one, {"GET", node_key("cams", "camera-" + std::to_string(i))});
    moved.insert(reply.is_error() ? reply.text.substr(reply.text.rfind(' ')) : "here");
  }
  EXPECT_GE(moved.size(), 2U);  // the keys are indeed on several servers
}

TEST_F(FleetCluster, FollowsAKeyThatMoves) {
  const std::string key = node_key("cams", "a");
  const std::string slot = std::to_string(ask(one, {"CLUSTER", "KEYSLOT", key}).number);
  Camera a, b;
  a.learn(10, 1);
  b.learn(10, 2);
  a.start(one.address(), "a");
  b.start(one.address(), "b");
  rounds({&a, &b});
  const Redis* from = nullptr;
  for (const Redis* each : {&one, &two, &three})
    if (!ask(*each, {"GET", key}).is_error()) from = each;
  ASSERT_TRUE(from);
  const Redis* to = from == &one ? &two : &one;
  ask(*to, {"CLUSTER", "SETSLOT", slot, "IMPORTING", id_of(*from)});
  ask(*from, {"CLUSTER", "SETSLOT", slot, "MIGRATING", id_of(*to)});
  const Reply migrated = ask(*from, {"MIGRATE", "127.0.0.1", std::to_string(to->port()), key, "0", "5000"});
  ASSERT_FALSE(migrated.is_error()) << migrated.text;
  EXPECT_TRUE(ask(*from, {"GET", key}).is_error("ASK "));
  a.learn(20, 3);
  rounds({&a, &b});  // through ASK
  EXPECT_NEAR(b.learnt->samples(), 40, 1e-4);
  for (const Redis* each : {to, from}) ask(*each, {"CLUSTER", "SETSLOT", slot, "NODE", id_of(*to)});
  EXPECT_TRUE(ask(*from, {"GET", key}).is_error("MOVED "));
  a.learn(30, 4);
  rounds({&a, &b});  // through MOVED
  EXPECT_NEAR(b.learnt->samples(), 70, 1e-4);
  EXPECT_TRUE(a.faults.empty());
}

TEST_F(FleetCluster, ExplainsAnotherDatabase) {
  Camera a;
  a.learn(1, 1);
  Address address = one.address();
  address.db = 3;
  const Status round = a.start(address, "a").round(false);
  ASSERT_FALSE(round);
  EXPECT_NE(round.error().message.find("has only the database 0"), std::string::npos) << round.error().message;
}

}  // namespace
}  // namespace bcp::fleet
