// SPDX-License-Identifier: LGPL-2.1-or-later
// The messages and states that are still to be sent to a broker.
//
// Messages are sent in order and kept until the broker has acknowledged them. Their number and their bytes are limited;
// when the queue is full, messages are dropped and counted. States are retained messages: only the newest value of each
// is sent, and all states are sent again after the connection was lost, because the broker may have lost them.
//
// Thread safety: none.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace bcp::mqtt {

struct MqttMessage {
  std::string topic, payload;
  bool retain = false;
};

// Which message is dropped when the queue is full.
enum class DropPolicy { kOldest, kNewest };

class Outbox {
 public:
  // Limited in bytes too: a thousand results with twenty thousand labels each would need gigabytes.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  Outbox(std::size_t room, DropPolicy policy, std::size_t bytes = kMostBytes)
      : room_(room), most_bytes_(bytes), policy_(policy) {}

  // False if one or more messages were dropped. A message that was sent but not acknowledged is never dropped.
  bool push(MqttMessage message);
  // Sets the retained message of `topic`; an empty payload deletes it.
  void set_state(const std::string& topic, std::string payload);

  bool has_state(const std::string& topic) const { return states_.contains(topic); }

  // Returns the next message to send, states first. nullopt if all are sent, or too many are not acknowledged. Before
  // the next take(), call sent() with the id of its acknowledgement, or refuse() if the message can never be sent: it
  // is dropped.
  std::optional<MqttMessage> take();
  void sent(int id);
  void refuse();
  void acknowledge(int id);

  // Unacknowledged messages and all states will be sent again.
  void connection_lost();
  void repeat_states();

  bool empty() const { return messages_.empty() && changed_.empty() && states_on_their_way_ == 0; }
  std::size_t queued() const { return messages_.size(); }
  std::uint64_t delivered() const { return delivered_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  static constexpr int kNotSent = 0, kTaken = -1;

  struct Entry {
    MqttMessage message;
    int id = kNotSent;
  };
  struct State {
    std::string payload;
    bool changed = false;
    int id = kNotSent;
  };

  bool has_room_for(const MqttMessage& message) const;
  std::deque<Entry>::iterator erase(std::deque<Entry>::iterator entry);
  std::deque<Entry>::iterator find_message(int id);
  void mark(const std::string& topic, State& state);

  const std::size_t room_, most_bytes_;
  const DropPolicy policy_;
  std::deque<Entry> messages_;  // the first on_their_way_ of them are sent, but not acknowledged
  std::size_t on_their_way_ = 0;
  std::size_t bytes_ = 0;  // of all messages
  std::map<std::string, State> states_;
  std::deque<std::string> changed_;  // states to send, oldest change first
  std::size_t states_on_their_way_ = 0;
  std::optional<std::string> taken_state_;            // topic of the taken state, until sent() or refuse()
  std::unordered_map<int, std::string> sent_states_;  // topics by id; only the newest id of each state
  std::uint64_t delivered_ = 0, dropped_ = 0;
};

}  // namespace bcp::mqtt
