// SPDX-License-Identifier: LGPL-2.1-or-later
// Encodes the pictures of an input that delivers neither H.264 nor H.265, for its recording: MJPEG cameras,
// /dev/video0.
//
// Frames may be added on a streaming thread; if encoding is slower than the camera, frames are dropped.

#pragma once

#include <gst/gst.h>

#include <memory>

#include "base/result.hpp"
#include "gst-bcp/run/camera/stream_tap.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {

class FrameEncoder {
 public:
  // For frames with these caps. Takes a moment, the first time: encoders are tried. `take` is called on a thread of
  // the encoder.
  static Result<std::unique_ptr<FrameEncoder>> open(const GstCaps* frames, unsigned connection, StreamTap::Take take);
  // `take` is not called after this.
  ~FrameEncoder();
  FrameEncoder(const FrameEncoder&) = delete;
  FrameEncoder& operator=(const FrameEncoder&) = delete;

  // `time`: running time in the camera's pipeline. Never waits.
  void add(GstBuffer* frame, GstClockTime time);

 private:
  FrameEncoder(unsigned connection, StreamTap::Take take) : connection_(connection), take_(std::move(take)) {}
  static GstFlowReturn on_packet(GstElement* sink, gpointer self);

  const unsigned connection_;
  const StreamTap::Take take_;
  gst::ElementPtr pipeline_, source_;
};

}  // namespace bcp::cli::run
