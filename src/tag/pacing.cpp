// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tag/pacing.hpp"

#include <algorithm>
#include <utility>

namespace bcp::tag {
namespace {

constexpr std::int64_t kLatePatience = 1'000'000'000;  // longest time without scoring while frames are late

}  // namespace

Pace Pacing::next(std::int64_t time, bool late, const PacingSettings& settings) {
  // Thirty years mean never, and stay within the range of the clock.
  constexpr double kLongest = 1e18;
  const auto period =
      settings.max_rate > 0 ? static_cast<std::int64_t>(std::min(1e9 / settings.max_rate, kLongest)) : 0;
  if (time < last_) now_.due = now_.scored = time;
  last_ = time;
  ++now_.since_scored;
  if (!now_.forced) {
    if (now_.since_scored < std::max(settings.interval, 1u) || (period > 0 && time < now_.due)) return Pace::kHold;
    if (late && time - now_.scored < kLatePatience) return Pace::kLate;
  }
  // Continues the beat, unless a whole period was missed: then restarts it here, so that no burst follows a pause.
  const std::int64_t due = now_.forced || time - now_.due >= period ? time + period : now_.due + period;
  before_ = std::exchange(now_, {.forced = false, .since_scored = 0, .due = due, .scored = time});
  return Pace::kScore;
}

}  // namespace bcp::tag
