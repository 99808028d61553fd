// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/frame_keeper.hpp"

namespace bcp::tagger {

gst::BufferPtr FrameKeeper::keep(GstBuffer* buffer, bool is_next) {
  if (!pools_.needs_copy(buffer)) return gst::BufferPtr(gst_buffer_ref(buffer));
  return gst::BufferPtr(is_next ? gst_buffer_copy_deep(buffer) : nullptr);
}

}  // namespace bcp::tagger
