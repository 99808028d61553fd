// SPDX-License-Identifier: LGPL-2.1-or-later
// A bcpoverlay in a harness, and frames to push through it.

#pragma once

#include <gst/video/video.h>

#include "overlay_support.hpp"

namespace bcp::test {

inline std::string raw_caps(const char* format, int width = 320, int height = 240) {
  return std::string("video/x-raw,format=") + format + ",width=" + std::to_string(width) +
         ",height=" + std::to_string(height) + ",framerate=25/1";
}

class Overlay {
 public:
  explicit Overlay(const std::string& properties = "", const std::string& caps = raw_caps("NV12"))
      : harness_(harness(("bcpoverlay name=overlay " + properties).c_str())),
        element_(gst_harness_find_element(harness_.get(), "bcpoverlay")),
        bus_(listen(harness_->element)) {
    if (!caps.empty()) set_caps(caps);
  }

  GstHarness* get() const { return harness_.get(); }
  GstElement* element() const { return element_.get(); }

  void set_caps(const std::string& caps) {
    const gst::CapsPtr parsed(gst_caps_from_string(caps.c_str()));
    ASSERT_TRUE(gst_video_info_from_caps(&info_, parsed.get())) << caps;
    gst_harness_set_src_caps_str(harness_.get(), caps.c_str());
  }
  const GstVideoInfo& info() const { return info_; }

  // A grey frame with the format of the caps.
  gst::BufferPtr frame() const {
    gst::BufferPtr buffer(gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info_), nullptr));
    gst_buffer_memset(buffer.get(), 0, 128, GST_VIDEO_INFO_SIZE(&info_));
    GST_BUFFER_PTS(buffer.get()) = 0;
    return buffer;
  }
  gst::BufferPtr frame(const gst::BcpResultPtr& result, bool held = false) const {
    gst::BufferPtr buffer = frame();
    attach(buffer.get(), result, held);
    return buffer;
  }
  gst::BufferPtr push(gst::BufferPtr buffer) const {
    return gst::BufferPtr(gst_harness_push_and_pull(harness_.get(), buffer.release()));
  }
  std::vector<Message> faults() const { return test::faults(bus_.get()); }

  guint64 stat(const char* name) const {
    GstStructure* all = nullptr;
    g_object_get(element(), "stats", &all, nullptr);
    const gst::StructurePtr owner(all);
    guint64 value = ~guint64{0};
    gst_structure_get_uint64(all, name, &value);
    return value;
  }

 private:
  Harness harness_;
  gst::ElementPtr element_;
  gst::BusPtr bus_;
  GstVideoInfo info_{};
};

inline std::vector<std::uint8_t> bytes(GstBuffer* buffer) {
  std::vector<std::uint8_t> all(gst_buffer_get_size(buffer));
  gst_buffer_extract(buffer, 0, all.data(), all.size());
  return all;
}

// Where a buffer of GRAY8 or planar luma differs from plain 128.
struct Area {
  int left = 1 << 30, top = 1 << 30, right = -1, bottom = -1, count = 0;
  bool empty() const { return count == 0; }
};
inline Area changed(GstBuffer* buffer, int width, int height, int stride) {
  const std::vector<std::uint8_t> all = bytes(buffer);
  Area area;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (all[static_cast<std::size_t>(y * stride + x)] == 128) continue;
      area.left = std::min(area.left, x), area.right = std::max(area.right, x);
      area.top = std::min(area.top, y), area.bottom = std::max(area.bottom, y);
      ++area.count;
    }
  }
  return area;
}
inline Area changed(const Overlay& overlay, const gst::BufferPtr& buffer) {
  const GstVideoInfo& info = overlay.info();
  return changed(buffer.get(), GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info),
                 GST_VIDEO_INFO_PLANE_STRIDE(&info, 0));
}

}  // namespace bcp::test
