// SPDX-License-Identifier: LGPL-2.1-or-later
//
// When buffers come, as one clock that does not go back: the running time of a buffer's DTS, or of its PTS where it has
// no DTS. Buffers of encoded video come in the order of their DTS.
//
// A buffer without a time has the time of the one before it. In a stream that has no times at all the wall clock
// counts.
//
// Thread safety: none.

#pragma once

#include <gst/gst.h>

#include <optional>

namespace bcp::gate {

class Timeline {
 public:
  struct Moment {
    gint64 time = 0;      // nanoseconds; negative before the start of the segment
    bool jumped = false;  // the clock was set back, so earlier times do not compare with this one
  };

  // `wall`: nanoseconds of a clock that does not jump.
  Moment at(GstBuffer* buffer, const GstSegment& segment, gint64 wall);
  // The same for a time of the segment.
  Moment at(GstClockTime position, const GstSegment& segment);

  void reset() { *this = {}; }

 private:
  Moment move_to(gint64 time);

  std::optional<gint64> newest_;
  bool by_wall_clock_ = false;
};

}  // namespace bcp::gate
