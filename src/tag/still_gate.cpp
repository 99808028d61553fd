// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tag/still_gate.hpp"

#include <utility>

namespace bcp::tag {

bool StillGate::holds(const image::PictureFormat& format, const image::Rect& part, const image::Picture& picture,
                      std::int64_t time) {
  const std::optional<double> change = detector_.look(format, part, picture);
  time_ = time;
  const std::optional<std::int64_t> scored = std::exchange(scored_, std::nullopt);
  const bool goes_on = scored && time >= *scored && change && *change < image::ChangeDetector::kNoticeable;
  if (!goes_on) changed_ = time;
  if (!goes_on || !settled_ || time - *scored >= kLongest) return false;
  scored_ = scored;
  return true;
}

void StillGate::scored(bool settled, std::int64_t span) {
  detector_.keep();
  scored_ = time_;
  settled_ = settled && time_ - changed_ >= span;
}

}  // namespace bcp::tag
