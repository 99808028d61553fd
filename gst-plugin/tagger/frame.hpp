// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A frame with everything needed to score it later, on any thread.

#pragma once

#include <gst/video/video.h>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "image/picture.hpp"
#include "support/owners.hpp"
#include "tagger/regions.hpp"
#include "tagger/settings.hpp"

namespace bcp::tagger {

// The times of a frame, and whether it is too late to be scored. Times may be GST_CLOCK_TIME_NONE.
struct Moment {
  GstClockTime running_time, stream_time;
  bool late;
};

inline std::optional<double> seconds(GstClockTime time) {
  if (!GST_CLOCK_TIME_IS_VALID(time)) return std::nullopt;
  return static_cast<double>(time) / GST_SECOND;
}

// How to read the pixels. All frames between two changes share one object.
struct FrameFormat {
  GstVideoInfo info{};
  image::Orientation orientation;
};

struct Frame {
  gst::BufferPtr buffer;  // null after its pixels were read
  GstClockTime pts;
  std::shared_ptr<const FrameFormat> format;
  std::shared_ptr<const Settings> settings;  // at the time the frame arrived
  Moment moment;
  std::int64_t time;                                                 // nanoseconds on the clock used for pacing
  bool forced;                                                       // score it even if the picture has not changed
  bool skips_static;                                                 // do not score it if the picture has not changed
  std::vector<Region> regions;                                       // of this frame; filled only if regions are scored
  std::optional<std::chrono::steady_clock::time_point> waits_since;  // when it was queued; not set in sync mode
};

}  // namespace bcp::tagger
