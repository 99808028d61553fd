// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Decides which frames need no scoring because they look like the last scored one.
//
// A frame is compared with the last scored one, not the last seen one, so that slow changes add up and are noticed.
// After a change, frames are scored until their results have settled. At least one frame per kLongest is scored.
//
// Thread safety: none. One instance belongs to one thread at a time.

#pragma once

#include <cstdint>
#include <optional>

#include "image/change_detector.hpp"

namespace bcp::tag {

class StillGate {
 public:
  static constexpr std::int64_t kLongest = 10'000'000'000;  // nanoseconds between scored frames

  // Whether the result of the last scored frame is valid for this part of the frame at `time` (nanoseconds on any clock
  // that the frames share). If not, score the frame; no result is valid until scored() is called for it. REQUIRES: as
  // ChangeDetector::look().
  bool holds(const image::PictureFormat& format, const image::Rect& part, const image::Picture& picture,
             std::int64_t time);
  // The frame last passed to holds() was scored. Frames are scored until the picture has not changed for `span`
  // nanoseconds, the time over which results are averaged, and the result is `settled`: another equal frame would not
  // change it.
  void scored(bool settled, std::int64_t span);
  // The next frame is scored.
  void reset() { scored_.reset(); }

 private:
  image::ChangeDetector detector_;
  std::int64_t time_ = 0;               // of the last frame
  std::optional<std::int64_t> scored_;  // when the last frame was scored; empty: no valid result
  std::int64_t changed_ = 0;            // time of the last change
  bool settled_ = false;
};

}  // namespace bcp::tag
