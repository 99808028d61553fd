// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/frame_keeper.hpp"

namespace bcp::tagger {

gst::BufferPtr FrameKeeper::keep(GstBuffer* buffer, bool is_next) {
  if (!needs_copy(buffer)) return gst::BufferPtr(gst_buffer_ref(buffer));
  return gst::BufferPtr(is_next ? gst_buffer_copy_deep(buffer) : nullptr);
}

bool FrameKeeper::needs_copy(GstBuffer* buffer) {
  for (guint i = 0; i < gst_buffer_n_memory(buffer); ++i) {
    if (GST_MEMORY_IS_NO_SHARE(gst_buffer_peek_memory(buffer, i))) return true;
  }
  return buffer->pool && is_small(buffer->pool);
}

// Cached, because reading the configuration allocates and the pool rarely changes.
bool FrameKeeper::is_small(GstBufferPool* pool) {
  if (pool == pool_.get()) return pool_is_small_;
  const gst::StructurePtr config(gst_buffer_pool_get_config(pool));
  guint most = 0;
  gst_buffer_pool_config_get_params(config.get(), nullptr, nullptr, nullptr, &most);
  pool_is_small_ = most > 0 && most <= kSmallPool;  // 0: no maximum
  pool_.reset(GST_BUFFER_POOL(gst_object_ref(pool)));
  return pool_is_small_;
}

}  // namespace bcp::tagger
