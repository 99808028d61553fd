// SPDX-License-Identifier: LGPL-2.1-or-later
// Helpers for tests of the async mode.

#pragma once

#include "tagger_support.hpp"

namespace bcp::test {

inline constexpr GstClockTime kFrame = 40 * GST_MSECOND;

inline GstClockTime at(int number) {
  return static_cast<GstClockTime>(number) * kFrame;
}

// Waits until `count` frames were scored; a timeout is a failure.
inline void await_scored(const Tagger& tagger, int count) {
  for (int i = 0; i < 30'000 && tagger.stat<int>("scored") < count; ++i) g_usleep(1000);
  EXPECT_EQ(tagger.stat<int>("scored"), count);
}

inline const GstBcpMeta* meta_of(const gst::BufferPtr& buffer) {
  return gst_buffer_get_bcp_meta(buffer.get());
}

// As in a seek to the beginning.
inline void flush(Tagger& tagger) {
  tagger.event(gst_event_new_flush_start());
  tagger.event(gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  tagger.event(gst_event_new_segment(&segment));
}

}  // namespace bcp::test
