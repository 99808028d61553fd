// SPDX-License-Identifier: LGPL-2.1-or-later
// What is still to be sent to a broker.
//
// Messages each count: they are sent in order, and kept until the broker has acknowledged them. There is room for so
// many, and for so many bytes; what is over is dropped and counted. States are what the broker is to remember (retain):
// of a state only the newest value counts, and all of them are sent again after the connection was lost, because the
// broker may have forgotten them.
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

namespace bcp::publish {

struct MqttMessage {
  std::string topic, payload;
  bool retain = false;
};

// Which message goes when there is no room.
enum class DropPolicy { kOldest, kNewest };

class Outbox {
 public:
  // A thousand results with all of twenty thousand labels would be gigabytes.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  Outbox(std::size_t room, DropPolicy policy, std::size_t bytes = kMostBytes)
      : room_(room), most_bytes_(bytes), policy_(policy) {}

  // False when that cost a message, or several. One that is on its way is never dropped for a newer one.
  bool push(MqttMessage message);
  // Sets what the broker remembers under `topic`; nothing: it is to forget.
  void set_state(const std::string& topic, std::string payload);

  bool has_state(const std::string& topic) const { return states_.contains(topic); }

  // Takes out what to send next, states first. Nothing when all is sent, or enough is on its way. What became of it is
  // told before the next one is taken: by sent(), with the id it will be acknowledged under, or by refuse(), when
  // nobody could ever send it, and it is dropped.
  std::optional<MqttMessage> take();
  void sent(int id);
  void refuse();
  void acknowledge(int id);

  // Whatever was not acknowledged, and every state, is to be sent again.
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
  std::deque<Entry> messages_;  // the first on_their_way_ of them have been taken
  std::size_t on_their_way_ = 0;
  std::size_t bytes_ = 0;  // of all messages
  std::map<std::string, State> states_;
  std::deque<std::string> changed_;  // states to send, oldest change first
  std::size_t states_on_their_way_ = 0;
  std::optional<std::string> taken_state_;            // its topic, until it is known what became of it
  std::unordered_map<int, std::string> sent_states_;  // their topics by id; a state sent again has left its old one
  std::uint64_t delivered_ = 0, dropped_ = 0;
};

}  // namespace bcp::publish
