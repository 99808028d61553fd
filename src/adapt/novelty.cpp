// SPDX-License-Identifier: LGPL-2.1-or-later

#include "adapt/novelty.hpp"

#include <numeric>

namespace bcp::adapt {

bool NoveltyGate::admit(std::span<const float> embedding, std::optional<double> time, const NoveltySettings& settings) {
  if (settings.distance > 0 && last_.size() == embedding.size()) {
    const double cosine =
        std::inner_product(embedding.begin(), embedding.end(), last_.begin(), 0.0, std::plus<>(),
                           [](float x, float y) { return static_cast<double>(x) * static_cast<double>(y); });
    if (time && (!last_time_ || *time < *last_time_)) last_time_ = time;
    const bool due = settings.interval > 0 && time && *time - *last_time_ >= settings.interval;
    if (1 - cosine < settings.distance && !due) return false;
  }
  last_.assign(embedding.begin(), embedding.end());
  last_time_ = time;
  return true;
}

void NoveltyGate::reset() {
  last_.clear();
  last_time_.reset();
}

}  // namespace bcp::adapt
