// SPDX-License-Identifier: LGPL-2.1-or-later
// Nodes of a fleet in one process: each has a group of its own, and learns made-up frames.

#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/redis.hpp"
#include "fleet/member.hpp"
#include "fleet/node.hpp"

namespace bcp::test {

using Labels = std::vector<std::string>;
inline const Labels kThings = {"cat", "dog", "sofa", "car", "tree"};

// Logits of frames in which some labels occur together.
inline std::vector<double> random_logits(std::size_t labels, std::mt19937& random) {
  std::normal_distribution<double> value(0, 2);
  std::vector<double> logits(labels);
  for (double& each : logits) each = value(random);
  logits[random() % 2] += 3;
  return logits;
}

// A process of the fleet, with one stream.
struct Camera final : fleet::Node::Reports {
  explicit Camera(const std::string& model = "model", const Labels& labels = kThings)
      : group(prior::PriorGroup::alone(model)), learnt(group->learnt(labels)) {
    learnt->join();
  }
  ~Camera() { learnt->leave(); }

  void learn(int frames, unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < frames; ++i) learn(random_logits(learnt->labels().size(), random));
  }
  void learn(const std::vector<double>& logits) {
    EXPECT_TRUE(learnt->tag(logits, settings, scores, [] { return true; }));
  }
  adapt::Scores correct(const std::vector<double>& logits) {
    adapt::Scores result;
    EXPECT_TRUE(learnt->correct(logits, settings, result));
    return result;
  }
  void fault(fleet::Fault fault, const Error& error) override { faults.emplace_back(fault, error.message); }
  void note(const std::string& text) override { notes.push_back(text); }
  // Makes it a node, which has had no round yet.
  fleet::Node& start(const fleet::Address& address, const std::string& id,
                     const fleet::Machine& machine = fleet::Machine::here()) {
    node = std::make_unique<fleet::Node>(group, address, id, stop, *this, machine);
    return *node;
  }

  adapt::BcpSettings settings{.anchor_confidence = 0.2, .warm_up = false, .half_life = 0};
  std::shared_ptr<prior::PriorGroup> group;
  std::shared_ptr<prior::Learnt> learnt;
  adapt::Scores scores;
  fleet::Stop stop;
  std::vector<std::pair<fleet::Fault, std::string>> faults;
  std::vector<std::string> notes;
  std::unique_ptr<fleet::Node> node;
};

inline void rounds(const std::vector<Camera*>& cameras, int times = 2) {
  for (int i = 0; i < times; ++i) {
    for (Camera* each : cameras) {
      const Status done = each->node->round(false);
      EXPECT_TRUE(done) << done.error().message;
    }
  }
}

// What a node has in Redis.
inline Result<fleet::Contribution> stored(const Redis& redis, const std::string& node) {
  return fleet::unpack(redis.call({"GET", fleet::node_key("cams", node)}).text);
}

inline void expect_equal(const adapt::Cooccurrence& a, const adapt::Cooccurrence& b, double relative) {
  ASSERT_EQ(a.labels(), b.labels());
  EXPECT_NEAR(a.samples(), b.samples(), relative * b.samples());
  for (std::size_t i = 0; i < a.labels(); ++i) {
    EXPECT_NEAR(a.single()[i], b.single()[i], relative * b.single()[i]);
    for (std::size_t j = 0; j <= i; ++j) EXPECT_NEAR(a.pair(i, j), b.pair(i, j), relative * b.pair(i, j));
  }
}

// Waits until `is_true`, for a minute at most: a slow machine is not a failure.
template <typename IsTrue>
bool eventually(IsTrue&& is_true) {
  for (int i = 0; i < 3000; ++i) {
    if (is_true()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace bcp::test
