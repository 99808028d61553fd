// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which frames need not be scored, because they show what the last scored one showed.
//
// A frame is compared with the last one that was scored, not with the last one seen, so that slow drift adds up until
// it is noticed. After a change, frames are scored until their results have settled. One frame is scored at least every
// kLongest, whatever it shows.
//
// Thread safety: none. One instance belongs to one thread at a time.

#pragma once

#include <cstdint>
#include <optional>

#include "image/change_detector.hpp"

namespace bcp::tag {

class StillGate {
 public:
  static constexpr std::int64_t kLongest = 10'000'000'000;  // nanoseconds from one scored frame to the next

  // Whether the result of the last scored frame holds for this part of the frame at `time` (nanoseconds on any clock
  // that the frames share). If it does not, the frame is to be scored, and nothing holds until scored() is called for
  // it. REQUIRES: as ChangeDetector::look().
  bool holds(const image::PictureFormat& format, const image::Rect& part, const image::Picture& picture,
             std::int64_t time);
  // The frame that holds() was last called with has been scored. Frames are scored however alike until the picture has
  // not changed for `span` nanoseconds, over which results are averaged, and the result is `settled`: another frame
  // like it would change nothing.
  void scored(bool settled, std::int64_t span);
  // The next frame is scored, whatever it shows.
  void reset() { scored_.reset(); }

 private:
  image::ChangeDetector detector_;
  std::int64_t time_ = 0;               // of the frame that was looked at last
  std::optional<std::int64_t> scored_;  // when the result that may hold was made; none: no result holds
  std::int64_t changed_ = 0;            // when the picture changed last
  bool settled_ = false;
};

}  // namespace bcp::tag
