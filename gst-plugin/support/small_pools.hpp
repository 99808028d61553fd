// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which buffers have to be copied to be kept, because a reference would be missed.
//
// A buffer that is kept is missing in the pool it came from: a camera or a hardware decoder with a handful of frames
// would wait for it. So buffers of small pools, and memory that may not be shared, are copied.
//
// Thread safety: none. One instance belongs to the streaming thread.

#pragma once

#include <gst/gst.h>

#include "support/owners.hpp"

namespace bcp::gst {

class SmallPools {
 public:
  // Pools of up to this many frames are small: drivers queue several, sinks keep one or two.
  static constexpr guint kSmallPool = 16;

  bool needs_copy(GstBuffer* buffer);

 private:
  bool is_small(GstBufferPool* pool);

  BufferPoolPtr pool_;  // asked last
  bool pool_is_small_ = false;
};

}  // namespace bcp::gst
