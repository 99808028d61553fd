// SPDX-License-Identifier: LGPL-2.1-or-later
// One connection to a camera: the source element of a pipeline, which can be taken out of it while the rest plays.
//
// Belongs to the main thread, and never makes it wait for the network.

#pragma once

#include <gst/gst.h>

#include <chrono>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/run/camera/inlet.hpp"
#include "gst-bcp/run/camera/stream_tap.hpp"
#include "gst-bcp/run/plan/launch_line.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {

// On the bus, from inside the source, when the camera's session has no video.
inline constexpr const char* kNoVideoMessage = "bcp-source-without-video";

class LiveSource {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Inlets = std::vector<std::shared_ptr<Inlet>>;

  // `tap`, if given, takes the encoded stream of the connection.
  //
  // The source a pipeline was made with, before it plays; the pipeline has linked it, or will link it.
  static std::unique_ptr<LiveSource> adopt(GstElement* pipeline, const char* name, StreamTap* tap = nullptr);
  // The same, for a source that is not linked yet: its frames are dropped until connect_to().
  static std::unique_ptr<LiveSource> hold(GstElement* pipeline, const char* name, StreamTap* tap = nullptr);
  // A new one, which starts to connect and is linked to the inlets when its pads are added.
  static Result<std::unique_ptr<LiveSource>> open(GstElement* pipeline, const LaunchLine& line, const Inlets& inlets,
                                                  StreamTap* tap = nullptr);
  // Takes it out of the pipeline. Another thread closes the connection, which may take long.
  ~LiveSource();
  LiveSource(const LiveSource&) = delete;
  LiveSource& operator=(const LiveSource&) = delete;

  GstElement* element() const { return element_.get(); }
  // Whether it drops its frames until connect_to().
  bool is_held() const { return held_; }
  // Links the present and later pads to the inlets. REQUIRES: is_held().
  void connect_to(const Inlets& inlets);
  // The caps of the pictures; null before the first picture. REQUIRES: is_held().
  gst::CapsPtr picture_caps() const;
  // Whether the camera's session has sound. Only RTSP cameras list their streams; for others: false.
  bool has_sound() const;
  // When data last came from the camera: any packet, decoded or not.
  Time last_packet() const;

  // Waits until all abandoned connections are closed, but no longer than this.
  static void wait_for_closing(std::chrono::milliseconds longest);

 private:
  struct Shared;
  LiveSource(GstElement* pipeline, gst::ElementPtr element, Inlets inlets, bool links, StreamTap* tap);

  GstElement* const pipeline_;  // outlives the source
  const gst::ElementPtr element_;
  const std::shared_ptr<Shared> shared_;
  // For the thread that closes the source. Allocated early, because a destructor must not throw.
  std::unique_ptr<std::shared_ptr<Shared>> for_closing_;
  bool held_ = false;
};

}  // namespace bcp::cli::run
