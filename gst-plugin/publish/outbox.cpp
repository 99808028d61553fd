// SPDX-License-Identifier: LGPL-2.1-or-later

#include "publish/outbox.hpp"

#include <algorithm>
#include <utility>

namespace bcp::publish {
namespace {

// How many brokers take without acknowledging the first; mosquitto's own default.
constexpr std::size_t kMostOnTheirWay = 20;

}  // namespace

bool Outbox::push(MqttMessage message) {
  const bool full = messages_.size() >= room_;
  if (full) {
    ++dropped_;
    const bool all_on_their_way = on_their_way_ == messages_.size();
    if (policy_ == DropPolicy::kNewest || all_on_their_way) return false;
    messages_.erase(messages_.begin() + static_cast<std::ptrdiff_t>(on_their_way_));
  }
  messages_.push_back({std::move(message), kNotSent});
  return !full;
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
    return MqttMessage{topic, state.payload, true};
  }
  if (on_their_way_ == messages_.size()) return std::nullopt;
  Entry& entry = messages_[on_their_way_++];
  entry.id = kTaken;
  return entry.message;
}

std::deque<Outbox::Entry>::iterator Outbox::find_message(int id) {
  return std::find_if(messages_.begin(), messages_.end(), [id](const Entry& e) { return e.id == id; });
}

std::map<std::string, Outbox::State>::iterator Outbox::find_state(int id) {
  return std::find_if(states_.begin(), states_.end(), [id](const auto& s) { return s.second.id == id; });
}

void Outbox::sent(int id) {
  if (const auto entry = find_message(kTaken); entry != messages_.end()) {
    entry->id = id;
  } else if (const auto state = find_state(kTaken); state != states_.end()) {
    state->second.id = id;
  }
}

void Outbox::refuse() {
  if (const auto entry = find_message(kTaken); entry != messages_.end()) {
    messages_.erase(entry);
    --on_their_way_;
    ++dropped_;
  } else if (const auto state = find_state(kTaken); state != states_.end()) {
    state->second.id = kNotSent;
    --states_on_their_way_;
  }
}

void Outbox::acknowledge(int id) {
  if (const auto entry = find_message(id); entry != messages_.end()) {
    messages_.erase(entry);
    --on_their_way_;
    ++delivered_;
    return;
  }
  const auto state = find_state(id);
  if (state == states_.end()) return;
  state->second.id = kNotSent;
  --states_on_their_way_;
  if (state->second.payload.empty() && !state->second.changed) states_.erase(state);  // forgotten over there too
}

void Outbox::connection_lost() {
  for (Entry& entry : messages_) entry.id = kNotSent;
  on_their_way_ = 0;
  for (auto& [topic, state] : states_) state.id = kNotSent;
  states_on_their_way_ = 0;
  repeat_states();
}

void Outbox::repeat_states() {
  for (auto& [topic, state] : states_) mark(topic, state);
}

}  // namespace bcp::publish
