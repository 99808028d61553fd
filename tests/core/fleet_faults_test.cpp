// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Redis away, paused, full, emptied, renamed or filled with garbage: streams go on, one warning, and the state returns.

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "fleet_support.hpp"

namespace bcp::fleet {
namespace {

using test::Camera;
using test::eventually;
using test::Redis;
using test::stored;

const std::string kPassword = "sEcrEt-4711";

// A camera whose frames arrive on a thread of their own, as a member of a fleet.
struct Running final : Member::Listener {
  Running(const Address& address, const std::string& id, unsigned seed)
      : member(*Member::join(*prior::PriorGroup::join(id, "model"), address, id)),
        group(*prior::PriorGroup::join(id, "model")) {
    camera.group = group;
    camera.learnt->leave();
    camera.learnt = group->learnt(test::kThings);
    camera.learnt->join();
    member->attach(*this);
    thread = std::thread([this, seed] {
      std::mt19937 random(seed);
      while (!done) {
        if (learning) camera.learn(test::random_logits(test::kThings.size(), random));
        if (!learning) camera.correct(test::random_logits(test::kThings.size(), random));
        ++frames;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    });
  }
  ~Running() {
    done = true;
    thread.join();
    member->detach(*this);
  }
  void fleet_warning(const Error& error) noexcept override { add(error.message); }
  void fleet_info(const std::string& text) noexcept override { add(text); }
  void fleet_changed(const Condition&) noexcept override {}
  void add(const std::string& text) {
    const std::lock_guard lock(mutex);
    said.push_back(text);
  }
  std::vector<std::string> all_said() {
    const std::lock_guard lock(mutex);
    return said;
  }
  bool has_said(const std::string& part) {
    for (const std::string& each : all_said())
      if (each.find(part) != std::string::npos) return true;
    return false;
  }
  // Frames go on: this many more, whatever Redis does.
  bool goes_on(std::uint64_t more = 100) {
    const std::uint64_t before = frames;
    return eventually([&] { return frames >= before + more; });
  }

  Camera camera;
  std::shared_ptr<Member> member;
  std::shared_ptr<prior::PriorGroup> group;
  std::mutex mutex;
  std::vector<std::string> said;
  std::atomic<std::uint64_t> frames = 0;
  std::atomic<bool> done = false, learning = true;
  std::thread thread;
};

// Two running cameras, which have learnt from each other.
class FleetFaults : public ::testing::Test {
 protected:
  FleetFaults() : a(redis.address(), "a", 1), b(redis.address(), "b", 2) {
    EXPECT_TRUE(eventually([&] { return sees(a) && sees(b); }));
  }
  static bool sees(Running& camera) { return camera.camera.learnt->samples() > camera.camera.learnt->own_samples(); }
  // Both know all of the other, after learning has stopped.
  bool converges() {
    a.learning = b.learning = false;
    return eventually([&] {
      const double both = a.camera.learnt->own_samples() + b.camera.learnt->own_samples();
      return std::abs(a.camera.learnt->samples() - both) < 1e-3 && std::abs(b.camera.learnt->samples() - both) < 1e-3;
    });
  }
  void expect_no_secrets() {
    for (Running* each : {&a, &b})
      for (const std::string& text : each->all_said()) EXPECT_EQ(text.find(kPassword), std::string::npos) << text;
  }

  Redis redis{{}, kPassword};
  Running a, b;
};

TEST_F(FleetFaults, KilledAndRestartedEmpty) {
  redis.kill();
  EXPECT_TRUE(eventually([&] { return a.has_said("Redis at 127.0.0.1"); }));
  EXPECT_TRUE(a.goes_on());
  const double kept = a.camera.learnt->samples() - a.camera.learnt->own_samples();
  EXPECT_GT(kept, 0);  // what was received stays in use
  redis.start();
  EXPECT_TRUE(eventually([&] { return a.has_said("reached again") && b.has_said("reached again"); }));
  EXPECT_TRUE(converges());
  EXPECT_EQ(a.all_said().size(), 2U);
  expect_no_secrets();
}

TEST_F(FleetFaults, Paused) {
  redis.signal(SIGSTOP);
  EXPECT_TRUE(eventually([&] { return a.has_said("does not answer"); }));
  EXPECT_TRUE(a.goes_on());
  redis.signal(SIGCONT);
  EXPECT_TRUE(converges());
  EXPECT_EQ(a.all_said().size(), 2U);
  expect_no_secrets();
}

TEST_F(FleetFaults, OutOfMemory) {
  redis.call({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_TRUE(eventually([&] { return a.has_said("out of memory"); }));
  EXPECT_TRUE(a.goes_on());
  EXPECT_EQ(a.all_said().size(), 1U);
  redis.call({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_TRUE(converges());
  EXPECT_TRUE(eventually([&] { return a.has_said("accepts what this node has learnt again"); }));
  EXPECT_EQ(a.all_said().size(), 2U);
  expect_no_secrets();
}

TEST_F(FleetFaults, RenamedAndRemovedKeys) {
  redis.call({"RENAME", node_key("cams", "b"), "elsewhere"});
  EXPECT_TRUE(eventually([&] { return static_cast<bool>(stored(redis, "b")); }));
  redis.call({"RENAME", index_key("cams"), "elsewhere"});
  EXPECT_TRUE(eventually([&] { return redis.call({"HLEN", index_key("cams")}).number == 2; }));
  redis.call({"FLUSHALL"});
  EXPECT_TRUE(converges());
  EXPECT_TRUE(a.all_said().empty());
}

TEST_F(FleetFaults, Garbage) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    std::string noise(1 + random() % 500, '\0');
    for (char& each : noise) each = static_cast<char>(random());
    const std::string node = "n" + std::to_string(i);
    redis.call({"HSET", index_key("cams"), noise.substr(0, 20), noise});
    redis.call({"SET", node_key("cams", node), noise});
    redis.call({"HSET", index_key("cams"), node, to_text({{std::string(32, 'a'), 1}, 4'000'000'000, 100, false})});
  }
  redis.call({"HSET", index_key("cams"), "list", to_text({{std::string(32, 'b'), 1}, 4'000'000'000, 100, false})});
  redis.call({"LPUSH", node_key("cams", "list"), "1"});
  redis.call({"SET", node_key("cams", "b"), "overwritten"});
  EXPECT_TRUE(eventually([&] { return a.has_said("are not of gst-bcp") && a.has_said("it is ignored"); }));
  EXPECT_TRUE(a.goes_on());
  EXPECT_TRUE(converges());
  EXPECT_EQ(a.all_said().size(), 2U);
  redis.call({"DEL", index_key("cams")});
  redis.call({"SET", index_key("cams"), "not a hash"});
  EXPECT_TRUE(eventually([&] { return a.has_said("another type"); }));
  EXPECT_TRUE(a.goes_on());
  redis.call({"DEL", index_key("cams")});
  EXPECT_TRUE(converges());
}

// Answers come late: Redis answers what has arrived, and stops for a tenth of a second.
TEST_F(FleetFaults, Slow) {
  std::atomic<bool> done = false;
  std::thread brake([&] {
    while (!done) {
      redis.signal(SIGSTOP);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      redis.signal(SIGCONT);
      for (int i = 0; i < 2; ++i) redis.call({"ECHO", "everybody had a turn"});
    }
  });
  const double before = b.camera.learnt->samples() - b.camera.learnt->own_samples();
  EXPECT_TRUE(a.goes_on());
  EXPECT_TRUE(eventually([&] { return b.camera.learnt->samples() - b.camera.learnt->own_samples() > before; }));
  done = true;
  brake.join();
  EXPECT_TRUE(converges());
  EXPECT_TRUE(a.all_said().empty());
}

// A replica is read, but takes nothing.
TEST_F(FleetFaults, ReadOnlyReplica) {
  const Redis replica({"--replicaof", "127.0.0.1", std::to_string(redis.port()), "--masterauth", kPassword}, kPassword);
  ASSERT_TRUE(eventually([&] { return replica.call({"HLEN", index_key("cams")}).number == 2; }));
  Running c(replica.address(), "c", 3);
  EXPECT_TRUE(eventually([&] { return c.has_said("is a read-only replica: use the address of the primary"); }));
  EXPECT_TRUE(eventually([&] { return sees(c); }));
  const std::uint64_t rounds = c.member->condition().rounds;
  EXPECT_TRUE(eventually([&] { return c.member->condition().rounds > rounds + 15; }));  // more than a heartbeat
  EXPECT_EQ(c.all_said().size(), 1U);
}

TEST(FleetPassword, IsRefusedWithoutShowingIt) {
  const Redis redis({}, "right");
  Address address = redis.address();
  address.password = kPassword;
  Running a(address, "wrong", 1);
  EXPECT_TRUE(eventually([&] { return a.has_said("refused the user or the password"); }));
  EXPECT_TRUE(a.goes_on());
  for (const std::string& text : a.all_said()) EXPECT_EQ(text.find(kPassword), std::string::npos) << text;
}

TEST(FleetMember, LeavesItsLastFramesBehind) {
  const Redis redis;
  double learnt = 0;
  {
    Running a(redis.address(), "short", 1);
    ASSERT_TRUE(a.goes_on(20));
    a.learning = false;
    ASSERT_TRUE(a.goes_on(5));
    learnt = a.camera.learnt->own_samples();
    ASSERT_TRUE(eventually([&] { return a.member->condition().rounds > 0; }));
  }
  const auto value = stored(redis, "short");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->content.seen.samples(), learnt);
}

}  // namespace
}  // namespace bcp::fleet
