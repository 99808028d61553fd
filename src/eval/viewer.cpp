// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/viewer.hpp"

#include <algorithm>

#include "eval/results.hpp"

namespace bcp::eval {
namespace {

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : kNone;
}

}  // namespace

Viewer::Viewer(const decide::DecisionSettings& decision, double frame_rate)
    : settings_(decision), frame_rate_(frame_rate) {}

void Viewer::see(bool first_of_shot, std::span<const double> probability, std::span<const std::int8_t> truth) {
  const std::span<const std::uint8_t> shown = decision_.decide(probability, {}, settings_);
  ++frames_;
  ++number_;
  if (first_of_shot) {
    number_ = 0;
    is_named_ = false;
    shots_ += std::find(truth.begin(), truth.end(), 1) != truth.end();
  } else {
    for (std::size_t k = 0; k < shown.size(); ++k) changes_ += shown[k] != last_[k];
  }
  last_.assign(shown.begin(), shown.end());
  judge(shown, truth);
}

void Viewer::judge(std::span<const std::uint8_t> shown, std::span<const std::int8_t> truth) {
  bool true_label = false;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    if (truth[k] < 0) continue;
    hits_ += shown[k] && truth[k];
    wrong_ += shown[k] && !truth[k];
    missed_ += !shown[k] && truth[k];
    true_label = true_label || (shown[k] && truth[k]);
  }
  if (!true_label || is_named_) return;
  is_named_ = true;
  ++named_;
  waited_ += number_;
}

Impression Viewer::impression() const {
  const auto number = [](std::size_t count) { return static_cast<double>(count); };
  return {.flicker = ratio(number(changes_), number(frames_) / frame_rate_ / 60),
          .first_label = ratio(number(waited_) / frame_rate_, number(named_)),
          .never_named = 100 * ratio(number(shots_ - named_), number(shots_)),
          .f1 = 100 * ratio(2 * number(hits_), number(2 * hits_ + wrong_ + missed_))};
}

}  // namespace bcp::eval
