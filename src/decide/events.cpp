// SPDX-License-Identifier: LGPL-2.1-or-later

#include "decide/events.hpp"

#include <algorithm>

namespace bcp::decide {

std::vector<Event> EventTracker::update(std::span<const std::uint8_t> shown, std::span<const double> probability,
                                        const std::function<std::string(std::size_t)>& name,
                                        std::optional<double> time) {
  std::vector<Event> events;
  std::map<std::string, Showing> now;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    if (!shown[k]) continue;
    const double p = probability[k];
    std::string label = name(k);
    if (auto was = on_.extract(label); was) {
      Showing& showing = was.mapped();
      showing.probability = p;
      showing.peak = std::max(showing.peak, p);
      showing.sum += p;
      ++showing.results;
      now.insert(std::move(was));
    } else if (now.emplace(label, Showing{time, p, p, p, 1}).second) {
      events.push_back({.label = std::move(label), .on = true, .start = time, .probability = p, .peak = p, .mean = p});
    }
  }
  for (const auto& [label, showing] : on_) {
    Event event{.label = label,
                .on = false,
                .start = showing.start,
                .end = time,
                .probability = showing.probability,
                .peak = showing.peak,
                .mean = showing.sum / static_cast<double>(showing.results)};
    if (event.start && event.end && *event.end >= *event.start) event.duration = *event.end - *event.start;
    events.push_back(std::move(event));
  }
  on_ = std::move(now);
  return events;
}

std::vector<Event> EventTracker::finish(std::optional<double> time) {
  return update(
      {}, {}, [](std::size_t) { return std::string(); }, time);
}

}  // namespace bcp::decide
