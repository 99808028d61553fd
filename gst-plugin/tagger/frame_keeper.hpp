// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Keeps a frame for later scoring while the stream continues: as a reference if possible, else as a copy.
//
// A reference is free here, but while it is held, downstream elements that draw on the frame must copy it. Frames of
// small pools (support/small_pools.hpp) are copied. The copy is made only if it will be scored: once per inference, not
// once per frame.
//
// Thread safety: none. One instance belongs to the streaming thread.

#pragma once

#include <gst/gst.h>

#include "support/owners.hpp"
#include "support/small_pools.hpp"

namespace bcp::tagger {

class FrameKeeper {
 public:
  // The frame, readable until it is released. Null if the frame needs a copy and either the copy failed or `is_next`
  // is false: another frame is scored before it.
  gst::BufferPtr keep(GstBuffer* buffer, bool is_next);

 private:
  gst::SmallPools pools_;
};

}  // namespace bcp::tagger
