// SPDX-License-Identifier: LGPL-2.1-or-later
// A video frame mapped for reading, unmapped by the destructor. Use it within one function; do not store it.

#pragma once

#include <gst/video/video.h>

#include <optional>
#include <utility>

namespace bcp::gst {

class MappedFrame {
 public:
  // Maps `buffer` with the layout of its GstVideoMeta (strides, offsets), else of `info`. nullopt if the buffer is too
  // small or its memory cannot be read. REQUIRES: the buffer outlives this object.
  static std::optional<MappedFrame> read(GstBuffer* buffer, const GstVideoInfo& info) {
    MappedFrame mapped;
    constexpr auto flags = static_cast<GstMapFlags>(GST_MAP_READ | int{GST_VIDEO_FRAME_MAP_FLAG_NO_REF});
    if (!gst_video_frame_map(&mapped.frame_, &info, buffer, flags)) return std::nullopt;
    mapped.mapped_ = true;
    return mapped;
  }

  MappedFrame(MappedFrame&& other) noexcept : frame_(other.frame_), mapped_(std::exchange(other.mapped_, false)) {}
  MappedFrame(const MappedFrame&) = delete;
  MappedFrame& operator=(const MappedFrame&) = delete;
  ~MappedFrame() {
    if (mapped_) gst_video_frame_unmap(&frame_);
  }

  const GstVideoFrame& operator*() const { return frame_; }
  const GstVideoFrame* operator->() const { return &frame_; }
  // For GStreamer functions that take a frame without const and only read it.
  GstVideoFrame* get() { return &frame_; }

 private:
  MappedFrame() = default;

  GstVideoFrame frame_{};  // not GST_VIDEO_FRAME_INIT, which causes -Wmissing-field-initializers in C++
  bool mapped_ = false;
};

}  // namespace bcp::gst
