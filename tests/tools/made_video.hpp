// SPDX-License-Identifier: LGPL-2.1-or-later
// A small video file.

#pragma once

#include <gst/gst.h>
#include <gtest/gtest.h>

#include <string>

#include "support/owners.hpp"

namespace bcp::test {

// Five seconds of H.264, written with this muxer. Fails the test if that does not work.
inline void make_video(const std::string& muxer, const std::string& path) {
  gst_init(nullptr, nullptr);
  const std::string line =
      "videotestsrc num-buffers=50 ! video/x-raw,width=64,height=48,framerate=10/1 ! x264enc tune=zerolatency "
      "key-int-max=10 ! h264parse ! " +
      muxer + " ! filesink location=" + path;
  const gst::ElementPtr pipeline(gst_parse_launch(line.c_str(), nullptr));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const gst::BusPtr bus(gst_element_get_bus(pipeline.get()));
  const gst::MessagePtr end(gst_bus_timed_pop_filtered(
      bus.get(), 30 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  ASSERT_TRUE(end && GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_EOS) << path;
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
}

}  // namespace bcp::test
