// SPDX-License-Identifier: LGPL-2.1-or-later

#include "decide/decision.hpp"

#include <algorithm>

namespace bcp::decide {

DecisionSettings settings_of(Rule rule) {
  DecisionSettings settings;
  if (rule == Rule::kPresence) {
    settings.threshold = 0.5;
    settings.off_share = 0.8;
  }
  return settings;
}

double threshold_off(const DecisionSettings& settings, double threshold) {
  return std::min(threshold, settings.threshold_off.value_or(settings.off_share * threshold));
}

bool Decision::is_on(std::size_t k, double probability, std::span<const std::optional<double>> own,
                     const DecisionSettings& settings) const {
  const double threshold = own.empty() ? settings.threshold : own[k].value_or(settings.threshold);
  return probability >= (on_[k] ? threshold_off(settings, threshold) : threshold);
}

std::span<const std::uint8_t> Decision::decide(std::span<const double> probability,
                                               std::span<const std::optional<double>> own,
                                               const DecisionSettings& settings, std::optional<double> time) {
  on_.resize(probability.size(), 0);
  since_.resize(probability.size(), kNever);
  shown_.resize(probability.size());
  any_waits_ = false;
  for (std::size_t k = 0; k < probability.size(); ++k) {
    on_[k] = is_on(k, probability[k], own, settings);
    if (!on_[k]) {
      since_[k] = kNever;
    } else if (since_[k] == kNever && time) {
      since_[k] = *time;
    }
    // A time before `since` means a seek: the label counts as present for long enough.
    const bool waits = time && *time >= since_[k] && *time - since_[k] < settings.min_duration;
    shown_[k] = on_[k] && !waits;
    any_waits_ = any_waits_ || (on_[k] && waits);
  }
  if (settings.top_k > 0) {
    ranked_.clear();
    for (std::size_t k = 0; k < shown_.size(); ++k) {
      if (shown_[k]) ranked_.push_back(k);
    }
    const auto limit = static_cast<std::size_t>(settings.top_k);
    if (ranked_.size() > limit) {
      std::stable_sort(ranked_.begin(), ranked_.end(),
                       [&](std::size_t x, std::size_t y) { return probability[x] > probability[y]; });
      for (const std::size_t k : std::span(ranked_).subspan(limit)) shown_[k] = 0;
    }
  }
  return shown_;
}

bool Decision::is_settled(std::span<const double> goal, std::span<const std::optional<double>> own,
                          const DecisionSettings& settings) const {
  for (std::size_t k = 0; k < goal.size(); ++k) {
    if (is_on(k, goal[k], own, settings) != (on_[k] != 0)) return false;
  }
  return !any_waits_;
}

void Decision::cut() {
  std::fill(on_.begin(), on_.end(), std::uint8_t{0});
}

void Decision::relabel(std::span<const int> from) {
  std::vector<std::uint8_t> on(from.size(), 0);
  std::vector<double> since(from.size(), kNever);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto old = static_cast<std::size_t>(from[i]);
    if (from[i] < 0 || old >= on_.size()) continue;
    on[i] = on_[old];
    since[i] = since_[old];
  }
  on_ = std::move(on);
  since_ = std::move(since);
}

}  // namespace bcp::decide
