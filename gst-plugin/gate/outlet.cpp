// SPDX-License-Identifier: LGPL-2.1-or-later

#include "gate/outlet.hpp"

#include <utility>

namespace bcp::gate {

Outlet::Outlet(GstPad* pad, gst::Guarded<Statistics>& statistics) : pad_(pad), statistics_(statistics) {
  gst_segment_init(&segment_, GST_FORMAT_UNDEFINED);
}

GstFlowReturn Outlet::pass(gst::BufferPtr buffer) {
  if (is_cut_) {
    if (is_delta_unit(buffer.get())) {
      drop(std::move(buffer));
      return GST_FLOW_OK;
    }
    send_gap(GST_BUFFER_PTS(buffer.get()), true);
    buffer.reset(gst_buffer_make_writable(buffer.release()));
    GST_BUFFER_FLAG_SET(buffer.get(), GST_BUFFER_FLAG_DISCONT);
  }
  is_cut_ = false;
  gap_.reset();
  statistics_.with([](Statistics& s) { ++s.passed; });
  return gst_pad_push(pad_, buffer.release());
}

void Outlet::drop(gst::BufferPtr buffer) {
  is_cut_ = true;
  gap_.add(buffer.get());
  statistics_.with([](Statistics& s) { ++s.dropped; });
}

GstFlowReturn Outlet::push(gst::BufferPtr buffer) {
  return gst_pad_push(pad_, buffer.release());
}

bool Outlet::push(gst::EventPtr event) {
  switch (GST_EVENT_TYPE(event.get())) {
    case GST_EVENT_SEGMENT:
      send_gap(GST_CLOCK_TIME_NONE, true);
      gap_.reset();
      gst_event_copy_segment(event.get(), &segment_);
      break;
    case GST_EVENT_GAP:
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT_DONE:
      send_gap(GST_CLOCK_TIME_NONE, true);
      break;
    default:
      break;
  }
  return gst_pad_push_event(pad_, event.release());
}

void Outlet::send_gap(GstClockTime limit, bool all) {
  if (!send_gaps_) return;
  if (gst::EventPtr gap = gap_.take(limit, all, segment_)) gst_pad_push_event(pad_, gap.release());
}

void Outlet::reset() {
  gst_segment_init(&segment_, GST_FORMAT_UNDEFINED);
  gap_.reset();
  is_cut_ = false;
}

}  // namespace bcp::gate
