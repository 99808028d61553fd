// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The part of the stream that was dropped and that no GAP event has announced yet.
//
// Thread safety: none.

#pragma once

#include <gst/gst.h>

#include <algorithm>

#include "support/owners.hpp"

namespace bcp::gate {

class Gap {
 public:
  // Stream that is announced at once. Sinks and muxers wait at most this much longer than for buffers.
  static constexpr GstClockTime kPace = 100 * GST_MSECOND;

  // A buffer was dropped.
  void add(GstBuffer* buffer) {
    const GstClockTime pts = GST_BUFFER_PTS(buffer);
    if (!GST_CLOCK_TIME_IS_VALID(pts)) return;
    const GstClockTime end = pts + (GST_BUFFER_DURATION_IS_VALID(buffer) ? GST_BUFFER_DURATION(buffer) : 0);
    if (!GST_CLOCK_TIME_IS_VALID(start_)) start_ = end_ = pts;
    end_ = std::max(end_, end);
  }

  // A GAP event up to `limit`, the PTS of the first buffer that is not dropped (or none); null when there is nothing to
  // announce. `all`: also when it is less than kPace and not the first.
  gst::EventPtr take(GstClockTime limit, bool all, const GstSegment& segment) {
    if (!GST_CLOCK_TIME_IS_VALID(start_) || segment.format != GST_FORMAT_TIME || segment.rate < 0) return nullptr;
    guint64 start, end;
    const GstClockTime until = std::min(end_, limit);
    if (until <= start_ || !gst_segment_clip(&segment, GST_FORMAT_TIME, start_, until, &start, &end)) return nullptr;
    if (!all && !is_first_ && until - start_ < kPace) return nullptr;
    start_ = until;
    is_first_ = false;
    return gst::EventPtr(gst_event_new_gap(start, end - start));
  }

  void reset() { *this = {}; }

 private:
  GstClockTime start_ = GST_CLOCK_TIME_NONE;  // what comes before is announced; none: nothing was dropped
  GstClockTime end_ = 0;
  bool is_first_ = true;  // a sink may wait for it to preroll
};

}  // namespace bcp::gate
