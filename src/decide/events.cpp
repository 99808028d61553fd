// SPDX-License-Identifier: LGPL-2.1-or-later

#include "decide/events.hpp"

namespace bcp::decide {
namespace {

Event gone(const std::string& label, std::optional<double> since, std::optional<double> now) {
  Event event{.label = label, .on = false, .duration = {}};
  if (since && now && *now >= *since) event.duration = *now - *since;
  return event;
}

}  // namespace

std::vector<Event> EventTracker::update(std::span<const std::uint8_t> shown,
                                        const std::function<std::string(std::size_t)>& name,
                                        std::optional<double> time) {
  std::vector<Event> events;
  std::map<std::string, std::optional<double>> now;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    if (!shown[k]) continue;
    std::string label = name(k);
    if (auto was = since_.extract(label); was) {
      now.insert(std::move(was));
    } else {
      events.push_back({.label = label, .on = true, .duration = {}});
      now.emplace(std::move(label), time);
    }
  }
  for (const auto& [label, since] : since_) events.push_back(gone(label, since, time));
  since_ = std::move(now);
  return events;
}

std::vector<Event> EventTracker::finish(std::optional<double> time) {
  return update(
      {}, [](std::size_t) { return std::string(); }, time);
}

}  // namespace bcp::decide
