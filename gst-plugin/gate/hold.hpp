// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a closed gate holds for the pre-roll: the newest buffers, and the events between them, in their order.
//
// Buffers leave at the front in whole groups: a sync point (a key frame, or any raw frame) with the buffers that need
// it. So what is held can always be decoded, if the first buffer could be. Events are never lost: one that comes to the
// front leaves with the group before it.
//
// Thread safety: none.

#pragma once

#include <gst/gst.h>

#include <deque>
#include <memory>
#include <vector>

#include "support/owners.hpp"

namespace bcp::gate {

struct UnrefMiniObject {
  void operator()(GstMiniObject* p) const { gst_mini_object_unref(p); }
};
using MiniObjectPtr = std::unique_ptr<GstMiniObject, UnrefMiniObject>;

struct HeldItem {
  MiniObjectPtr object;  // a buffer or an event
  gint64 time = 0;       // of a buffer, by the Timeline
  gsize bytes = 0;
  bool droppable = true;  // false: an event, or a buffer that has no picture

  bool is_buffer() const { return GST_IS_BUFFER(object.get()); }
  GstBuffer* buffer() const { return GST_BUFFER(object.get()); }
  // A stream can begin with it.
  bool is_sync_point() const { return droppable && !GST_BUFFER_FLAG_IS_SET(buffer(), GST_BUFFER_FLAG_DELTA_UNIT); }
};

struct HoldLimits {
  guint64 bytes = 0;  // 0: no limit
  guint buffers = 0;  // 0: no limit
};

class Hold {
 public:
  using Items = std::vector<HeldItem>;

  bool empty() const { return items_.empty(); }
  std::size_t buffers() const { return buffers_; }
  guint64 bytes() const { return bytes_; }
  bool has_events() const { return items_.size() > buffers_; }
  // The earliest PTS of the buffers held, or none.
  GstClockTime first_pts() const;

  void add(gst::BufferPtr buffer, gint64 time);
  // A buffer or an event that leaves in its turn and is never dropped.
  void add_undroppable(MiniObjectPtr object);

  // Removes what comes before the last sync point at or before `time`.
  Items prune(gint64 time);
  // Removes groups at the front, until the limits are kept.
  Items shrink(const HoldLimits& limits);
  // Removes everything.
  Items take_all();

 private:
  // Removes the first `count` items, and what is not droppable after them.
  Items remove(std::size_t count);
  // Where the second group begins; the number of items if there is one group.
  std::size_t next_group() const;

  std::deque<HeldItem> items_;  // the first is droppable
  std::size_t buffers_ = 0;     // droppable ones
  guint64 bytes_ = 0;
};

}  // namespace bcp::gate
