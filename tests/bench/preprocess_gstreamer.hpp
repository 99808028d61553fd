// SPDX-License-Identifier: LGPL-2.1-or-later
// The picture that GStreamer's own elements make for a model: the middle square, converted to RGB and scaled with
// `videoconvertscale method=catrom`. It is still bytes: a model's input has to be normalised after that.

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "preprocess_opencv.hpp"
#include "work.hpp"

#ifdef BCP_BENCH_GSTREAMER
#include <gst/check/gstharness.h>
#include <gst/gst.h>
#endif

namespace bench {

#ifdef BCP_BENCH_GSTREAMER
inline constexpr bool kHasGStreamer = true;

class GStreamerScaler {
 public:
  GStreamerScaler(Format format, std::span<std::uint8_t> bytes, int width, int height, int size) : size_(size) {
    gst_init(nullptr, nullptr);
    constexpr const char* kNames[] = {"NV12", "I420", "YUY2", "RGB", "BGRx"};
    constexpr double kBytes[] = {1.5, 1.5, 2, 3, 4};
    const auto index = static_cast<std::size_t>(format);
    const int left = (width - height) / 4 * 2;  // even, because chroma comes in pairs
    const std::string sides = ",width=" + std::to_string(size) + ",height=" + std::to_string(size);
    harness_ = gst_harness_new_parse(("videocrop left=" + std::to_string(left) +
                                      " right=" + std::to_string(width - height - left) +
                                      " ! videoconvertscale method=catrom ! capsfilter caps=video/x-raw,format=RGB" +
                                      sides + ",pixel-aspect-ratio=1/1")
                                         .c_str());
    require(harness_, "videocrop or videoconvertscale is missing");
    gst_harness_set_src_caps_str(harness_, (std::string("video/x-raw,framerate=25/1,format=") + kNames[index] +
                                            ",width=" + std::to_string(width) + ",height=" + std::to_string(height))
                                               .c_str());
    const auto used = static_cast<gsize>(kBytes[index] * width * height);
    require(used <= bytes.size(), "the frame is too small");
    frame_ = gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_READONLY, bytes.data(), used, 0, used, nullptr, nullptr);
  }
  ~GStreamerScaler() {
    gst_buffer_unref(frame_);
    gst_harness_teardown(harness_);
  }
  GStreamerScaler(const GStreamerScaler&) = delete;
  GStreamerScaler& operator=(const GStreamerScaler&) = delete;

  // Scales the frame and returns the mean of the bytes of its first row.
  double run() {
    GstBuffer* out = gst_harness_push_and_pull(harness_, gst_buffer_copy(frame_));
    require(out != nullptr, "videoconvertscale returned no frame");
    GstMapInfo map;
    require(gst_buffer_map(out, &map, GST_MAP_READ), "a frame of videoconvertscale cannot be read");
    require(map.size == static_cast<gsize>(size_ * size_ * 3), "a frame of videoconvertscale has another size");
    double sum = 0;
    for (int i = 0; i < size_ * 3; ++i) sum += map.data[i];
    gst_buffer_unmap(out, &map);
    gst_buffer_unref(out);
    return sum / (size_ * 3);
  }

 private:
  int size_;
  GstHarness* harness_ = nullptr;
  GstBuffer* frame_ = nullptr;
};
#else
inline constexpr bool kHasGStreamer = false;

class GStreamerScaler {
 public:
  GStreamerScaler(Format, std::span<std::uint8_t>, int, int, int) {}
  double run() { return 0; }
};
#endif

}  // namespace bench
