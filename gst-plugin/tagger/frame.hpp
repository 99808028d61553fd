// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A frame with all it takes to score it, now or later, on whichever thread.

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

// When a frame is, and whether it is needed still. Times may be GST_CLOCK_TIME_NONE.
struct Moment {
  GstClockTime running_time, stream_time;
  bool late;
};

// How its pixels are to be read. One for all frames between two changes.
struct FrameFormat {
  GstVideoInfo info{};
  image::Orientation orientation;
};

struct Frame {
  gst::BufferPtr buffer;  // none once its pixels were read
  GstClockTime pts;
  std::shared_ptr<const FrameFormat> format;
  std::shared_ptr<const Settings> settings;  // as they were when it came
  Moment moment;
  std::int64_t time;            // nanoseconds on the clock that frames are paced by
  bool forced;                  // scored even if the picture has not changed
  bool skips_static;            // not scored if it has not changed
  std::vector<Region> regions;  // marked on it; read where regions are scored
  std::optional<std::chrono::steady_clock::time_point> waits_since;  // for its turn; none: it does not wait
};

}  // namespace bcp::tagger
