// SPDX-License-Identifier: LGPL-2.1-or-later

#include "mqtt/outbox.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace bcp::mqtt {
namespace {

// Takes all messages, each with the next id.
std::vector<std::string> drain(Outbox& box, int first_id = 1) {
  std::vector<std::string> taken;
  while (auto message = box.take()) {
    taken.push_back(message->topic + "=" + message->payload + (message->retain ? " retained" : ""));
    box.sent(first_id++);
  }
  return taken;
}

using All = std::vector<std::string>;

TEST(Outbox, KeepsMessagesInOrderUntilTheyAreAcknowledged) {
  Outbox box(10, DropPolicy::kOldest);
  box.push({"a", "1", false});
  box.push({"b", "2", true});
  EXPECT_EQ(drain(box), (All{"a=1", "b=2 retained"}));
  EXPECT_EQ(box.queued(), 2U);
  box.acknowledge(2);
  box.acknowledge(7);  // an unknown id
  EXPECT_EQ(box.queued(), 1U);
  EXPECT_EQ(box.delivered(), 1U);
  EXPECT_FALSE(box.empty());
  box.connection_lost();
  EXPECT_EQ(drain(box, 5), (All{"a=1"}));
  box.acknowledge(5);
  EXPECT_TRUE(box.empty());
}

TEST(Outbox, LimitsUnacknowledgedMessages) {
  Outbox box(100, DropPolicy::kOldest);
  for (int i = 0; i < 50; ++i) box.push({"t", std::to_string(i), false});
  EXPECT_EQ(drain(box).size(), 20U);
  box.acknowledge(1);
  EXPECT_EQ(drain(box, 100), (All{"t=20"}));
}

TEST(Outbox, DropsTheOldestUnsentMessage) {
  Outbox box(3, DropPolicy::kOldest);
  EXPECT_TRUE(box.push({"t", "0", false}));
  ASSERT_TRUE(box.take());
  box.sent(1);
  EXPECT_TRUE(box.push({"t", "1", false}));
  EXPECT_TRUE(box.push({"t", "2", false}));
  EXPECT_FALSE(box.push({"t", "3", false}));
  EXPECT_EQ(box.dropped(), 1U);
  EXPECT_EQ(drain(box, 2), (All{"t=2", "t=3"}));
  EXPECT_FALSE(box.push({"t", "4", false})) << "all are on their way";
  EXPECT_EQ(box.queued(), 3U);
  EXPECT_EQ(box.dropped(), 2U);
}

TEST(Outbox, DropsTheNewestWithThatPolicy) {
  Outbox box(2, DropPolicy::kNewest);
  for (const char* payload : {"1", "2", "3"}) box.push({"t", payload, false});
  EXPECT_EQ(drain(box), (All{"t=1", "t=2"}));
}

TEST(Outbox, LimitsItsBytes) {
  Outbox box(100, DropPolicy::kOldest, 20);
  EXPECT_TRUE(box.push({"t", "12345", false}));
  EXPECT_TRUE(box.push({"t", "23456", false}));
  EXPECT_TRUE(box.push({"t", "34567", false}));
  EXPECT_FALSE(box.push({"t", "45678901", false}));  // replaces two messages
  EXPECT_EQ(box.dropped(), 2U);
  EXPECT_EQ(box.queued(), 2U);
  EXPECT_FALSE(box.push({"t", std::string(100, 'x'), false})) << "more than all there is, but alone";
  EXPECT_EQ(box.queued(), 1U);
  EXPECT_EQ(drain(box).size(), 1U);
  box.acknowledge(1);
  EXPECT_TRUE(box.push({"t", "1234567890123456789", false})) << "what is delivered gives its room back";

  Outbox newest(100, DropPolicy::kNewest, 10);
  EXPECT_TRUE(newest.push({"t", "12345", false}));
  EXPECT_FALSE(newest.push({"t", "67890", false}));
  EXPECT_EQ(drain(newest), (All{"t=12345"}));
}

TEST(Outbox, AcceptsMessagesWhileOneIsTaken) {
  Outbox box(1, DropPolicy::kOldest);
  box.push({"t", "1", false});
  ASSERT_TRUE(box.take());
  EXPECT_FALSE(box.push({"t", "2", false}));
  box.set_state("s", "x");
  box.sent(1);
  box.acknowledge(1);
  EXPECT_EQ(box.delivered(), 1U);
  EXPECT_EQ(drain(box), (All{"s=x retained"}));
}

TEST(Outbox, DropsMessagesThatCannotBeSent) {
  Outbox box(5, DropPolicy::kOldest);
  box.push({"bad", "", false});
  box.push({"good", "", false});
  ASSERT_TRUE(box.take());
  box.refuse();
  EXPECT_EQ(box.dropped(), 1U);
  EXPECT_EQ(drain(box), (All{"good="}));
}

TEST(Outbox, SendsOnlyTheNewestValueOfAState) {
  Outbox box(1, DropPolicy::kOldest);
  box.set_state("s", "old");
  box.set_state("other", "1");
  box.set_state("s", "new");
  EXPECT_EQ(drain(box), (All{"s=new retained", "other=1 retained"}));
  box.set_state("s", "newer");  // while the old value is not acknowledged
  box.acknowledge(1);
  EXPECT_FALSE(box.empty());
  EXPECT_EQ(drain(box, 9), (All{"s=newer retained"}));
  box.acknowledge(2);
  box.acknowledge(9);
  EXPECT_TRUE(box.empty());
}

TEST(Outbox, SendsEveryStateAgainAfterTheConnectionWasLost) {
  Outbox box(1, DropPolicy::kOldest);
  box.set_state("a", "1");
  box.set_state("gone", "2");
  drain(box);
  box.acknowledge(1);
  box.acknowledge(2);
  box.set_state("gone", "");
  EXPECT_EQ(drain(box, 3), (All{"gone= retained"}));
  box.connection_lost();
  EXPECT_EQ(drain(box, 4).size(), 2U) << "it may not have heard";
  box.acknowledge(4);
  box.acknowledge(5);
  box.connection_lost();
  EXPECT_EQ(drain(box, 6), (All{"a=1 retained"})) << "what was forgotten stays so";
}

// The time for each state must not grow with their number: else twenty thousand labels would block the streaming thread
// for minutes.
TEST(Outbox, IsQuickWithTheStatesOfTwentyThousandLabels) {
  constexpr int kStates = 60'000;
  Outbox box(1000, DropPolicy::kOldest);
  for (int i = 0; i < kStates; ++i) box.set_state("label/" + std::to_string(i), "ON");
  for (int i = 0; i < 1000; ++i) box.push({"t", "x", false});
  const auto begun = std::chrono::steady_clock::now();
  int id = 0, acknowledged = 0;
  while (!box.empty()) {
    while (box.take()) box.sent(++id);
    while (acknowledged < id) box.acknowledge(++acknowledged);
  }
  EXPECT_EQ(id, kStates + 1000);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

}  // namespace
}  // namespace bcp::mqtt
