// SPDX-License-Identifier: LGPL-2.1-or-later
// What goes out of bcpsubtitle, between the thread that brings frames and the one that pushes cues.
//
// Two threads, because a muxer takes a cue only when the video has come as far: if the frames had to wait for that, the
// branch of a tee that leads to the muxer's video pad would wait too, and nothing would move again.
//
// The other way round a muxer that waits for an open cue takes no more video, and then no more frames come here either.
// So when frames stay out while a cue is open, it is told as far as it is. If that brings them back, it was we they
// waited for, and from then on no cue is kept for longer than the branches around us can bear.
//
// Thread safety: any thread may call any of it; one thread brings, one takes.

#pragma once

#include <gst/gst.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "subtitle/cue_track.hpp"
#include "support/owners.hpp"

namespace bcp::subtitle {

struct UnrefItem {
  void operator()(GstMiniObject* p) const { gst_mini_object_unref(p); }
};
using ItemPtr = std::unique_ptr<GstMiniObject, UnrefItem>;  // a buffer or an event

class CueFeed {
 public:
  CueFeed();

  // Brings a frame. Waits only while an absurd number of cues has not been taken. Returns what pushing met.
  GstFlowReturn add(LabelledFrame frame, const CueSettings& settings);
  // Tells an open cue as far as it is, then `event` (of which this takes the reference).
  void add(GstEvent* event);

  // The next buffer or event, in order; waits for it. Nothing when stopped.
  ItemPtr next();
  // What pushing the last one met. Anything worse than "not linked" stops the feed.
  void pushed(GstFlowReturn result);

  // Drops everything, and no one waits any more, until start().
  void stop();
  void start();

 private:
  using Clock = std::chrono::steady_clock;

  void append(const Cue& cue);
  void relieve(std::unique_lock<std::mutex>& lock);
  Clock::duration patience() const;

  std::mutex mutex_;
  std::condition_variable filled_, emptied_;
  // All below under the lock.
  CueTrack track_;
  std::deque<ItemPtr> items_;
  GstFlowReturn flow_ = GST_FLOW_FLUSHING;  // OK or not linked: running
  Clock::time_point last_frame_;
  Clock::duration pace_;                         // wall-clock time between frames, smoothed
  Clock::time_point relieved_;                   // when an open cue was last told for want of frames
  GstClockTime relief_ = 0;                      // how long it was; 0 once that has been judged
  GstClockTime bearable_ = GST_CLOCK_TIME_NONE;  // how long a cue may be kept
};

}  // namespace bcp::subtitle
