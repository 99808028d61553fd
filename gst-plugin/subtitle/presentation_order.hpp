// SPDX-License-Identifier: LGPL-2.1-or-later
// Reorders the frames of an encoded stream from decoding order to presentation order.
//
// A frame is released as soon as no later frame can be presented before it: the DTS only grows, and no frame is
// presented before it is decoded. Frames without a DTS (raw video) are released immediately.
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
  // Calls take(pts, frame) for each frame that can be released. REQUIRES: `pts` is valid.
  template <typename Fn>
  void add(GstClockTime pts, GstClockTime dts, Frame frame, Fn&& take) {
    waiting_.emplace(pts, std::move(frame));
    release(GST_CLOCK_TIME_IS_VALID(dts) && dts < pts ? dts : pts, take);
  }

  // Releases all frames: at EOS, or before a new segment.
  template <typename Fn>
  void drain(Fn&& take) {
    release(GST_CLOCK_TIME_NONE, take);
  }

  void clear() { waiting_.clear(); }

 private:
  template <typename Fn>
  void release(GstClockTime until, Fn& take) {
    while (!waiting_.empty() && waiting_.begin()->first <= until) {
      auto frame = waiting_.extract(waiting_.begin());
      take(frame.key(), std::move(frame.mapped()));
    }
  }

  std::multimap<GstClockTime, Frame> waiting_;
};

}  // namespace bcp::subtitle
