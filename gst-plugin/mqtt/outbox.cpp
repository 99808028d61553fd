// SPDX-License-Identifier: LGPL-2.1-or-later

#include "mqtt/outbox.hpp"

#include <algorithm>
#include <utility>

namespace bcp::mqtt {
namespace {

// How many messages may be sent before the first is acknowledged: mosquitto's default.
constexpr std::size_t kMostOnTheirWay = 20;

std::size_t size_of(const MqttMessage& message) {
  return message.topic.size() + message.payload.size();
}

}  // namespace

bool Outbox::has_room_for(const MqttMessage& message) const {
  return messages_.size() < room_ && (messages_.empty() || bytes_ + size_of(message) <= most_bytes_);
}

std::deque<Outbox::Entry>::iterator Outbox::erase(std::deque<Entry>::iterator entry) {
  bytes_ -= size_of(entry->message);
  return messages_.erase(entry);
}

bool Outbox::push(MqttMessage message) {
  bool whole = true;
  while (!has_room_for(message)) {
    whole = false;
    ++dropped_;
    const bool all_on_their_way = on_their_way_ == messages_.size();
    if (policy_ == DropPolicy::kNewest || all_on_their_way) return false;
    erase(messages_.begin() + static_cast<std::ptrdiff_t>(on_their_way_));
  }
  bytes_ += size_of(message);
  messages_.push_back({std::move(message), kNotSent});
  return whole;
}

void Outbox::set_state(const std::string& topic, std::string payload) {
  State& state = states_[topic];
  state.payload = std::move(payload);
  mark(topic, state);
}

void Outbox::mark(const std::string& topic, State& state) {
  if (!std::exchange(state.changed, true)) changed_.push_back(topic);
}

std::optional<MqttMessage> Outbox::take() {
  if (on_their_way_ + states_on_their_way_ >= kMostOnTheirWay) return std::nullopt;
  if (!changed_.empty()) {
    const std::string topic = std::move(changed_.front());
    changed_.pop_front();
    State& state = states_.at(topic);
    state.changed = false;
    if (std::exchange(state.id, kTaken) == kNotSent) ++states_on_their_way_;
    taken_state_ = topic;
    return MqttMessage{topic, state.payload, true};
  }
  if (on_their_way_ == messages_.size()) return std::nullopt;
  Entry& entry = messages_[on_their_way_++];
  entry.id = kTaken;
  return entry.message;
}

// Searches the sent messages, which are few.
std::deque<Outbox::Entry>::iterator Outbox::find_message(int id) {
  const auto end = messages_.begin() + static_cast<std::ptrdiff_t>(on_their_way_);
  const auto found = std::find_if(messages_.begin(), end, [id](const Entry& e) { return e.id == id; });
  return found == end ? messages_.end() : found;
}

void Outbox::sent(int id) {
  if (const auto topic = std::exchange(taken_state_, std::nullopt)) {
    states_.at(*topic).id = id;
    sent_states_[id] = *topic;
  } else if (const auto entry = find_message(kTaken); entry != messages_.end()) {
    entry->id = id;
  }
}

void Outbox::refuse() {
  if (const auto topic = std::exchange(taken_state_, std::nullopt)) {
    states_.at(*topic).id = kNotSent;
    --states_on_their_way_;
  } else if (const auto entry = find_message(kTaken); entry != messages_.end()) {
    erase(entry);
    --on_their_way_;
    ++dropped_;
  }
}

void Outbox::acknowledge(int id) {
  if (const auto entry = find_message(id); entry != messages_.end()) {
    erase(entry);
    --on_their_way_;
    ++delivered_;
    return;
  }
  const auto known = sent_states_.extract(id);
  if (!known) return;
  const auto state = states_.find(known.mapped());
  if (state == states_.end() || state->second.id != id) return;
  state->second.id = kNotSent;
  --states_on_their_way_;
  if (state->second.payload.empty() && !state->second.changed) states_.erase(state);  // the broker has deleted it too
}

void Outbox::connection_lost() {
  for (Entry& entry : messages_) entry.id = kNotSent;
  on_their_way_ = 0;
  for (auto& [topic, state] : states_) state.id = kNotSent;
  states_on_their_way_ = 0;
  taken_state_.reset();
  sent_states_.clear();
  repeat_states();
}

void Outbox::repeat_states() {
  for (auto& [topic, state] : states_) mark(topic, state);
}

}  // namespace bcp::mqtt
