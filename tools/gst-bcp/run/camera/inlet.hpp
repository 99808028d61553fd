// SPDX-License-Identifier: LGPL-2.1-or-later
// Where a camera's stream enters the pipeline: a pad that stays while the sources in front of it come and go. What is
// behind it sees one stream that never ends, only pauses.
//
// Made and ended on the main thread; what is marked so is for any thread.

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

// How far the stream is, and what is added to the times of the present source for it to go on from there. Sources that
// stamp by arrival need nothing; one that begins at zero does. Shared by the inlets of a pipeline, so that sound and
// picture stay together. Any thread.
class Timeline {
 public:
  // A new source: its first buffer decides anew.
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
  // The sink pad of the element of this name in the pipeline, or in a bin in it; null if there is none. `prefix` is
  // what the names of the caps it takes begin with, "video/". `on_end` is called on a streaming thread when a source
  // without a duration ends.
  static std::shared_ptr<Inlet> of(GstElement* pipeline, const char* name, std::string prefix,
                                   std::shared_ptr<Timeline> timeline, void (*on_end)(GstElement* pipeline));
  ~Inlet();
  Inlet(const Inlet&) = delete;
  Inlet& operator=(const Inlet&) = delete;

  // Links the source's pad if it is of the kind and nothing is linked yet. Any thread.
  bool take(GstPad* source);
  // Ends the stream for what is behind it. Waits for a frame that is on its way.
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
  bool named_ = false, started_ = false;     // what is behind it knows the stream; the segment
  GstSegment first_{}, present_{};           // of the first source, which is all that is behind it knows; of this one
  GstClockTime last_ = GST_CLOCK_TIME_NONE;  // of the last picture, in the first segment
  int rate_n_ = -1, rate_d_ = 1;             // of the first source; below 0: not known
};

}  // namespace bcp::cli::run
