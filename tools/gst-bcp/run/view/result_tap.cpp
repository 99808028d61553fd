// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/result_tap.hpp"

#include <gst/bcp/gstbcpmeta.h>

#include <mutex>

namespace bcp::cli::view {

struct ResultTap::State {
  mutable std::mutex mutex;
  gst::BcpResultPtr newest;                // under the mutex
  const GstBcpResult* compared = nullptr;  // the same, for the streaming thread

  void on_frame(GstBuffer* frame) {
    gpointer state = nullptr;
    while (const GstBcpMeta* meta = gst_buffer_iterate_bcp_meta(frame, &state)) {
      if (gst_bcp_result_get_region_id(meta->result) >= 0) continue;
      // Most frames carry the result of an earlier one, which is kept here, so its address is not used again.
      if (meta->result == compared) return;
      gst::BcpResultPtr taken(gst_bcp_result_ref(meta->result));
      compared = taken.get();
      const std::lock_guard lock(mutex);
      newest.swap(taken);
      return;
    }
  }
};

ResultTap::ResultTap(GstElement* tagger)
    : pad_(gst_element_get_static_pad(tagger, "src")), state_(std::make_shared<State>()) {
  probe_ = gst_pad_add_probe(
      pad_.get(), GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad*, GstPadProbeInfo* info, gpointer state) {
        (*static_cast<std::shared_ptr<State>*>(state))->on_frame(GST_PAD_PROBE_INFO_BUFFER(info));
        return GST_PAD_PROBE_OK;
      },
      new std::shared_ptr<State>(state_), [](gpointer state) { delete static_cast<std::shared_ptr<State>*>(state); });
}

ResultTap::~ResultTap() {
  gst_pad_remove_probe(pad_.get(), probe_);
}

gst::BcpResultPtr ResultTap::newest() const {
  const std::lock_guard lock(state_->mutex);
  return gst::BcpResultPtr(state_->newest ? gst_bcp_result_ref(state_->newest.get()) : nullptr);
}

}  // namespace bcp::cli::view
