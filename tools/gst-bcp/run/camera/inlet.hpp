// SPDX-License-Identifier: LGPL-2.1-or-later
// Where a camera's stream enters the pipeline: a pad that stays while its sources come and go. Downstream sees one
// stream that pauses but never ends.
//
// Made and ended on the main thread. Functions marked "Any thread" may be called from any thread.

#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "support/owners.hpp"

namespace bcp::cli::run {

// The position of the stream, and the offset that continues it with the times of the present source. Sources that
// stamp by arrival need no offset; one that begins at zero does. Shared by the inlets of a pipeline, so that sound and
// picture stay in sync. Any thread.
class Timeline {
 public:
  // A new source: its first buffer sets the offset.
  void restart();
  // What to add to a buffer that has this running time, while the pipeline is at `now` (NONE: not known).
  GstClockTimeDiff shift(GstClockTime running_time, GstClockTime now);

 private:
  std::mutex mutex_;
  std::optional<GstClockTimeDiff> shift_;
  GstClockTime last_ = GST_CLOCK_TIME_NONE;
};

class Inlet {
 public:
  // The sink pad of the element of this name in the pipeline, or in a bin in it; null if not found. `prefix` is the
  // start of the names of the caps it accepts, "video/". `on_end` is called on a streaming thread when a source without
  // a duration ends.
  static std::shared_ptr<Inlet> of(GstElement* pipeline, const char* name, std::string prefix,
                                   std::shared_ptr<Timeline> timeline, void (*on_end)(GstElement* pipeline));
  ~Inlet();
  Inlet(const Inlet&) = delete;
  Inlet& operator=(const Inlet&) = delete;

  // Links the source's pad if it is of the kind and nothing is linked yet. Any thread.
  bool take(GstPad* source);
  // Ends the stream downstream. Waits for a frame that is being pushed.
  void end();
  // Buffers that came through. Any thread.
  std::uint64_t count() const { return count_; }

 private:
  Inlet(GstElement* pipeline, gst::PadPtr pad, std::string prefix, std::shared_ptr<Timeline> timeline,
        void (*on_end)(GstElement*));
  GstPadProbeReturn on_buffer(GstPadProbeInfo* info);
  GstPadProbeReturn on_event(GstPadProbeInfo* info);
  GstClockTime place(GstClockTime time);
  GstClockTime arrival() const;
  GstClockTime behind_last(GstClockTime time);
  void keep_rate(GstPadProbeInfo* info);

  GstElement* const pipeline_;  // outlives the inlet
  const gst::PadPtr pad_;
  const std::string prefix_;
  const bool has_pictures_;
  const std::shared_ptr<Timeline> timeline_;
  void (*const on_end_)(GstElement*);
  gulong probe_ = 0;
  std::atomic<std::uint64_t> count_{0};
  std::atomic<bool> ending_{false};
  // Of the streaming thread:
  bool named_ = false, started_ = false;     // stream-start was sent; the segment
  GstSegment first_{}, present_{};           // of the first source, the only one sent downstream; of this one
  GstClockTime last_ = GST_CLOCK_TIME_NONE;  // of the last picture, in the first segment
  int rate_n_ = -1, rate_d_ = 1;             // of the first source; below 0: not known
};

}  // namespace bcp::cli::run
