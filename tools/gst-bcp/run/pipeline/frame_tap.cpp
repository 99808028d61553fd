// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/pipeline/frame_tap.hpp"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace bcp::cli::run {
namespace {

constexpr std::size_t kMostTakes = 16;

gst::SamplePtr frame_at(GstPad* pad, GstBuffer* buffer) {
  const gst::CapsPtr caps(gst_pad_get_current_caps(pad));
  const gst::EventPtr event(gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0));
  const GstSegment* segment = nullptr;
  if (event) gst_event_parse_segment(event.get(), &segment);
  return gst::SamplePtr(gst_sample_new(buffer, caps.get(), segment, nullptr));
}

}  // namespace

struct FrameTap::Waiting {
  std::atomic<bool> any = false;
  std::mutex mutex;
  std::vector<Take> takes;  // under the mutex
  bool closed = false;      // under the mutex

  // Under the mutex, so that none of them is called once the tap is destroyed.
  void serve(GstPad* pad, GstBuffer* buffer) {
    const std::lock_guard lock(mutex);
    any = false;
    if (closed) return;
    for (const Take& take : std::exchange(takes, {})) take(frame_at(pad, buffer));
  }
};

FrameTap::FrameTap(GstElement* element)
    : pad_(gst_element_get_static_pad(element, "src")), waiting_(std::make_shared<Waiting>()) {
  probe_ = gst_pad_add_probe(
      pad_.get(), GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad* pad, GstPadProbeInfo* info, gpointer waiting) {
        auto& state = **static_cast<std::shared_ptr<Waiting>*>(waiting);
        if (state.any) state.serve(pad, GST_PAD_PROBE_INFO_BUFFER(info));
        return GST_PAD_PROBE_OK;
      },
      new std::shared_ptr<Waiting>(waiting_),
      [](gpointer waiting) { delete static_cast<std::shared_ptr<Waiting>*>(waiting); });
}

FrameTap::~FrameTap() {
  gst_pad_remove_probe(pad_.get(), probe_);
  const std::lock_guard lock(waiting_->mutex);
  waiting_->closed = true;
  waiting_->takes.clear();
}

bool FrameTap::next(Take take) {
  const std::lock_guard lock(waiting_->mutex);
  if (waiting_->takes.size() >= kMostTakes) return false;
  waiting_->takes.push_back(std::move(take));
  waiting_->any = true;
  return true;
}

}  // namespace bcp::cli::run
