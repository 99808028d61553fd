// SPDX-License-Identifier: LGPL-2.1-or-later

#include "decide/shot_mean.hpp"

#include <algorithm>
#include <cstddef>

namespace bcp::decide {
namespace {

constexpr double kUnknownStep = 1.0 / 30;
// After a longer pause, earlier frames are ignored.
constexpr double kLongestStep = 5;

double mean_squared_difference(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return a.empty() ? 0 : sum / static_cast<double>(a.size());
}

void move_towards(std::vector<double>& mean, std::span<const double> values, double weight) {
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += (values[i] - mean[i]) * weight;
}

}  // namespace

bool ShotMean::add(std::span<const double> scores, std::span<const double> values, std::optional<double> time,
                   double span, double cut) {
  const double step = time && time_ ? *time - *time_ : kUnknownStep;
  time_ = time;
  const bool fits = values_.size() == values.size() && scores_.size() == scores.size();
  const double jump = fits ? mean_squared_difference(scores, last_) : 0;
  const double away = fits ? mean_squared_difference(scores, scores_) : 0;
  const bool goes_on =
      fits && step >= 0 && step <= kLongestStep && (away <= cut || jump <= std::max(kJump * cut, kUnusual * motion_));
  last_.assign(scores.begin(), scores.end());
  if (!goes_on) {
    scores_.assign(scores.begin(), scores.end());
    values_.assign(values.begin(), values.end());
    length_ = 0;
    return true;
  }
  // With frames a step apart this is the mean of all frames of the shot, at most of the last span / step.
  length_ += step;
  const double frames = span <= 0 ? 1 : step > 0 ? std::min(1 + length_ / step, span / step) : 2;
  // After a camera movement the mean follows, faster at a greater distance.
  const double far = kFollow * cut;
  const double weight = std::max(1 / std::max(frames, 1.0), 1 - far / std::max(away, far));
  move_towards(values_, values, weight);
  move_towards(scores_, scores, weight);
  motion_ += (jump - motion_) * std::min(weight, 0.5);
  return false;
}

}  // namespace bcp::decide
