// SPDX-License-Identifier: LGPL-2.1-or-later
// Puts the frames of an encoded stream, which come in the order they are decoded in, in the order they are shown in.
//
// A frame is let go as soon as no frame that is still to come can be shown before it: decoding times only grow, and no
// frame is shown before it is decoded. Frames without a decoding time (raw video) are let go at once.
//
// Thread safety: none.

#pragma once

#include <gst/gst.h>

#include <map>
#include <utility>

namespace bcp::subtitle {

template <typename Frame>
class PresentationOrder {
 public:
  // Calls let_go(pts, frame) for each frame whose turn has come. REQUIRES: `pts` is valid.
  template <typename Fn>
  void add(GstClockTime pts, GstClockTime dts, Frame frame, Fn&& let_go) {
    waiting_.emplace(pts, std::move(frame));
    release(GST_CLOCK_TIME_IS_VALID(dts) && dts < pts ? dts : pts, let_go);
  }

  // No more frames before the next one: lets all go.
  template <typename Fn>
  void drain(Fn&& let_go) {
    release(GST_CLOCK_TIME_NONE, let_go);
  }

  void clear() { waiting_.clear(); }

 private:
  template <typename Fn>
  void release(GstClockTime until, Fn& let_go) {
    while (!waiting_.empty() && waiting_.begin()->first <= until) {
      auto frame = waiting_.extract(waiting_.begin());
      let_go(frame.key(), std::move(frame.mapped()));
    }
  }

  std::multimap<GstClockTime, Frame> waiting_;
};

}  // namespace bcp::subtitle
