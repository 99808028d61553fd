// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the encoded stream of a camera out of its source, beside the decoder: the camera is connected to once, and what
// takes the stream can neither slow nor stop the pictures.
//
// H.264 and H.265 are taken in front of the decoder; sound is taken in front of its decoder, or from the source's pads
// where it is not decoded.

#pragma once

#include <gst/gst.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

#include "gst-bcp/run/camera/inlet.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {

// An encoded picture, or a piece of encoded sound.
struct Packet {
  gst::BufferPtr buffer;  // shared with the decoder: read only
  gst::CapsPtr caps;
  GstClockTime time = GST_CLOCK_TIME_NONE;         // running time in the pipeline
  GstClockTime decode_time = GST_CLOCK_TIME_NONE;  // the same; NONE: not known
  std::chrono::system_clock::time_point arrival;
  unsigned connection = 0;  // increases with each connection
  bool is_sound = false;
  bool is_key = false;  // a picture that can be decoded without others
};

class StreamTap : public std::enable_shared_from_this<StreamTap> {
 public:
  // Called on streaming threads, in order for each stream: must not wait.
  using Take = std::function<void(Packet)>;

  static std::shared_ptr<StreamTap> make(Take take);
  StreamTap(const StreamTap&) = delete;
  StreamTap& operator=(const StreamTap&) = delete;

  // A new connection: the element uridecodebin, before it opens its stream. Packets of an older one are ignored from
  // now on. Main thread.
  void attach(GstElement* source);
  // The times of the pipeline, as its inlets use them. Until then, times are those of the source. Any thread.
  void follow(std::shared_ptr<Timeline> timeline);
  // No packet is taken after this. Any thread.
  void close();
  // Whether the present connection delivers pictures that can be stored as they are. Any thread.
  bool has_video() const { return has_video_; }
  unsigned connection() const { return connection_; }

 private:
  struct Connection;
  explicit StreamTap(Take take) : take_(std::move(take)) {}
  void on_buffer(Connection& from, GstPad* pad, GstBuffer* buffer);

  std::mutex mutex_;  // held while a packet is taken
  Take take_;
  std::shared_ptr<Timeline> timeline_;
  std::atomic<unsigned> connection_{0};
  std::atomic<bool> has_video_{false};
};

}  // namespace bcp::cli::run
