// SPDX-License-Identifier: LGPL-2.1-or-later
// A bcppublish in a harness, writing to a file.

#pragma once

#include "support.hpp"

namespace bcp::test {

inline constexpr char kVideo[] = "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1";

// A publisher in a harness, started, with its bus.
struct Publisher {
  explicit Publisher(const std::string& location, const char* caps = kVideo)
      : element(gst_element_factory_make("bcppublish", nullptr)) {
    g_object_set(element.get(), "location", location.c_str(), nullptr);
    gst_object_ref_sink(element.get());
    bus = listen(element.get());
    h.reset(gst_harness_new_with_element(element.get(), "sink", "src"));
    gst_harness_set_src_caps_str(h.get(), caps);
  }

  GstFlowReturn push(const gst::BcpResultPtr& result, GstClockTime pts = 0, bool held = false) {
    GstBuffer* buffer = gst_harness_create_buffer(h.get(), 16);
    GST_BUFFER_PTS(buffer) = pts;
    if (result) attach(buffer, result, held);
    return gst_harness_push(h.get(), buffer);
  }

  guint64 stat(const char* name) const { return count_in_stats(element.get(), name); }

  gst::ElementPtr element;
  gst::BusPtr bus;
  Harness h;
};

}  // namespace bcp::test
