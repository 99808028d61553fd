// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Keeps a frame for later scoring while the stream continues: as a reference if possible, else as a copy.
//
// A reference is free here, but while it is held, downstream elements that draw on the frame must copy it, and the
// buffer is missing in its pool. A camera or hardware decoder with few buffers would stall. So frames of small pools,
// and memory that must not be shared, are copied. The copy is made only if it will be scored: once per inference, not
// once per frame.
//
// Thread safety: none. One instance belongs to the streaming thread.

#pragma once

#include <gst/gst.h>

#include "support/owners.hpp"

namespace bcp::tagger {

class FrameKeeper {
 public:
  // Pools with at most this many buffers are small: drivers queue several, sinks keep one or two.
  static constexpr guint kSmallPool = 16;

  // The frame, readable until it is released. Null if the frame needs a copy and either the copy failed or `is_next`
  // is false: another frame is scored before it.
  gst::BufferPtr keep(GstBuffer* buffer, bool is_next);

 private:
  bool needs_copy(GstBuffer* buffer);
  bool is_small(GstBufferPool* pool);

  std::unique_ptr<GstBufferPool, gst::Unref> pool_;  // the one that pool_is_small_ describes
  bool pool_is_small_ = false;
};

}  // namespace bcp::tagger
