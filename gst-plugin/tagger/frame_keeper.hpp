// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Keeps a frame for later, while the stream goes on with it: a reference where its pool can spare it, else a copy.
//
// A reference costs nothing here; but an element that draws on the frame downstream has to copy it as long as it is
// kept. Frames of small pools (support/small_pools.hpp) are copied, and only when the copy will be scored: once an
// inference, not once a frame.
//
// Thread safety: none. One instance belongs to the streaming thread.

#pragma once

#include <gst/gst.h>

#include "support/owners.hpp"
#include "support/small_pools.hpp"

namespace bcp::tagger {

class FrameKeeper {
 public:
  // The frame, readable until it is released. None if it has to be copied and cannot be, or need not be because
  // `is_next` is false: something else is scored before it.
  gst::BufferPtr keep(GstBuffer* buffer, bool is_next);

 private:
  gst::SmallPools pools_;
};

}  // namespace bcp::tagger
