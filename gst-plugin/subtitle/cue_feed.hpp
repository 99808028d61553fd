// SPDX-License-Identifier: LGPL-2.1-or-later
// The output queue of bcpsubtitle, between the thread that receives frames and the thread that pushes cues.
//
// Two threads are needed because a muxer takes a cue only when its video has reached the cue's time. If frames waited
// for that, the tee branch to the muxer's video pad would wait too: a deadlock.
//
// The opposite can happen as well: a muxer that waits for an open cue takes no more video, so no more frames arrive
// here. Therefore, when frames stop while a cue is open, the part of the cue up to the last frame is sent. If frames
// then resume, the open cue was the cause, and from then on cues are cut at that length.
//
// Thread safety: any thread may call any function; one thread adds, one thread takes.

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

  // Adds a frame. Waits only while a very large number of cues (kMostItems) is queued. Returns the flow of the last
  // push.
  GstFlowReturn add(LabelledFrame frame, const CueSettings& settings);
  // Queues the open cue up to the last frame, then `event`. Takes ownership of `event`.
  void add(GstEvent* event);

  // Waits for the next buffer or event and returns it. Null when stopped.
  ItemPtr next();
  // Reports the result of pushing the last item. Anything other than OK and NOT_LINKED stops the feed.
  void pushed(GstFlowReturn result);

  // Drops everything and wakes both threads; nothing is queued until start().
  void stop();
  void start();

 private:
  using Clock = std::chrono::steady_clock;

  void append(const Cue& cue);
  void relieve(std::unique_lock<std::mutex>& lock);
  Clock::duration patience() const;

  std::mutex mutex_;
  std::condition_variable filled_, emptied_;
  // Guarded by mutex_.
  CueTrack track_;
  std::deque<ItemPtr> items_;
  GstFlowReturn flow_ = GST_FLOW_FLUSHING;  // OK or not linked: running
  Clock::time_point last_frame_;
  Clock::duration pace_;                         // wall-clock time between frames, smoothed
  Clock::time_point relieved_;                   // when an open cue was last sent because no frames arrived
  GstClockTime relief_ = 0;                      // the length of that cue; 0 after the next frame has arrived
  GstClockTime bearable_ = GST_CLOCK_TIME_NONE;  // the longest open cue that does not block the pipeline
};

}  // namespace bcp::subtitle
