// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Keeps a frame for later, while the stream goes on with it: a reference where nobody misses it, else a copy.
//
// A reference costs nothing here; but whoever draws on the frame downstream has to copy it as long as it is kept, and
// it is missing in the pool it came from. A camera or a hardware decoder with a handful of frames would wait for it. So
// frames of small pools, and memory that may not be shared, are copied, and only when the copy will be scored: once an
// inference, not once a frame.
//
// Thread safety: none. One instance belongs to the streaming thread.

#pragma once

#include <gst/gst.h>

#include "support/owners.hpp"

namespace bcp::tagger {

class FrameKeeper {
 public:
  // Pools of up to this many frames are small: drivers queue several, sinks keep one or two.
  static constexpr guint kSmallPool = 16;

  // The frame, readable until it is let go of. None if it has to be copied and cannot be, or need not be because
  // `is_next` is false: something else is scored before it.
  gst::BufferPtr keep(GstBuffer* buffer, bool is_next);

 private:
  bool needs_copy(GstBuffer* buffer);
  bool is_small(GstBufferPool* pool);

  std::unique_ptr<GstBufferPool, gst::Unref> pool_;  // asked last
  bool pool_is_small_ = false;
};

}  // namespace bcp::tagger
