// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tag/pacing.hpp"

#include <algorithm>

namespace bcp::tag {
namespace {

constexpr std::int64_t kPatience = 1'000'000'000;  // how old labels may get while frames are late

}  // namespace

Pace Pacing::next(std::int64_t time, bool late, const PacingSettings& settings) {
  // Thirty years are as good as for ever, and stay within the range of the clock.
  constexpr double kLongest = 1e18;
  const auto period =
      settings.max_rate > 0 ? static_cast<std::int64_t>(std::min(1e9 / settings.max_rate, kLongest)) : 0;
  if (time < last_) due_ = scored_ = time;
  last_ = time;
  ++since_scored_;
  if (!forced_) {
    if (since_scored_ < std::max(settings.interval, 1u) || (period > 0 && time < due_)) return Pace::kHold;
    if (late && time - scored_ < kPatience) return Pace::kLate;
  }
  // From beat to beat, unless a whole one was missed: then from here, so that a pause is not made up for in a burst.
  due_ = forced_ || time - due_ >= period ? time + period : due_ + period;
  forced_ = false;
  since_scored_ = 0;
  scored_ = time;
  return Pace::kScore;
}

}  // namespace bcp::tag
