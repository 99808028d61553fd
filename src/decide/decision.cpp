// SPDX-License-Identifier: LGPL-2.1-or-later

#include "decide/decision.hpp"

#include <algorithm>

namespace bcp::decide {

std::span<const std::uint8_t> Decision::decide(std::span<const double> probability,
                                               std::span<const std::optional<double>> own,
                                               const DecisionSettings& settings) {
  on_.resize(probability.size(), 0);
  for (std::size_t k = 0; k < probability.size(); ++k) {
    const double threshold = own.empty() ? settings.threshold : own[k].value_or(settings.threshold);
    const double off = std::min(threshold, settings.threshold_off.value_or(threshold));
    on_[k] = probability[k] >= (on_[k] ? off : threshold);
  }
  shown_ = on_;
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

void Decision::relabel(std::span<const int> from) {
  std::vector<std::uint8_t> on(from.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto old = static_cast<std::size_t>(from[i]);
    if (from[i] >= 0 && old < on_.size()) on[i] = on_[old];
  }
  on_ = std::move(on);
}

}  // namespace bcp::decide
