// SPDX-License-Identifier: LGPL-2.1-or-later

#include "support/small_pools.hpp"

namespace bcp::gst {

bool SmallPools::needs_copy(GstBuffer* buffer) {
  for (guint i = 0; i < gst_buffer_n_memory(buffer); ++i) {
    if (GST_MEMORY_IS_NO_SHARE(gst_buffer_peek_memory(buffer, i))) return true;
  }
  return buffer->pool && is_small(buffer->pool);
}

// Asking is not free, and pools live for as long as the caps.
bool SmallPools::is_small(GstBufferPool* pool) {
  if (pool == pool_.get()) return pool_is_small_;
  const StructurePtr config(gst_buffer_pool_get_config(pool));
  guint most = 0;
  gst_buffer_pool_config_get_params(config.get(), nullptr, nullptr, nullptr, &most);
  pool_is_small_ = most > 0 && most <= kSmallPool;  // 0: it grows
  pool_.reset(GST_BUFFER_POOL(gst_object_ref(pool)));
  return pool_is_small_;
}

}  // namespace bcp::gst
