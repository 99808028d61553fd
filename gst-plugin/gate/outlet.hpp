// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What leaves a gate: buffers that pass, events, and GAP events in the place of buffers that were dropped.
//
// After a buffer was dropped, the next one that passes has the DISCONT flag, and it is one that a stream can begin with
// (not a delta unit): those before it are dropped too.
//
// Thread safety: none. The streaming thread, with no lock held but the pad's own.

#pragma once

#include <gst/gst.h>

#include "gate/gap.hpp"
#include "gate/statistics.hpp"
#include "support/guarded.hpp"
#include "support/owners.hpp"

namespace bcp::gate {

inline bool is_delta_unit(GstBuffer* buffer) {
  return GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
}

class Outlet {
 public:
  // Both outlive this.
  Outlet(GstPad* pad, gst::Guarded<Statistics>& statistics);

  // Whether GAP events are sent.
  void set_send_gaps(bool on) { send_gaps_ = on; }

  // Whether a buffer was dropped since the last one that passed.
  bool is_cut() const { return is_cut_; }

  // Passes the buffer, or drops it if it cannot be decoded.
  GstFlowReturn pass(gst::BufferPtr buffer);
  void drop(gst::BufferPtr buffer);
  // A buffer that has no picture: neither passed nor dropped.
  GstFlowReturn push(gst::BufferPtr buffer);
  bool push(gst::EventPtr event);
  // Announces what was dropped, if it is worth an event, or `all` of it; up to `limit`, the PTS of the first buffer
  // that may still pass, or none.
  void send_gap(GstClockTime limit, bool all);

  // The stream was flushed.
  void reset();

 private:
  GstPad* const pad_;
  gst::Guarded<Statistics>& statistics_;
  GstSegment segment_;  // downstream
  Gap gap_;
  bool send_gaps_ = true;
  bool is_cut_ = false;
};

}  // namespace bcp::gate
