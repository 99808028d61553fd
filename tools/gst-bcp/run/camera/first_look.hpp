// SPDX-License-Identifier: LGPL-2.1-or-later
// The first connection to an RTSP camera whose video is to be written: it shows what the camera delivers, and then
// becomes the source of the pipeline. Many cameras allow one client, so the camera is not connected to twice.
//
// Belongs to the main thread, and never makes it wait.

#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "gst-bcp/run/camera/live_source.hpp"
#include "gst-bcp/run/camera/network_check.hpp"
#include "gst-bcp/run/plan/camera_fault.hpp"
#include "gst-bcp/run/plan/launch_line.hpp"
#include "gst-bcp/run/plan/media.hpp"

namespace bcp::cli::run {

class FirstLook {
 public:
  using Done = std::function<void(Result<Media>)>;

  // Connects with the source that `source` makes, an element called kSource. Calls back once, from the default main
  // loop, when the first picture has come or the connection has failed. An error of the kind kRuntime may be gone
  // another time. After its destruction nothing is called; another thread closes the connection.
  // `tap`, if given, takes the encoded stream from the first packet on.
  FirstLook(const LaunchLine& source, CameraCall call, Done done, const std::shared_ptr<StreamTap>& tap = nullptr);
  ~FirstLook();
  FirstLook(const FirstLook&) = delete;
  FirstLook& operator=(const FirstLook&) = delete;

  // The pipeline, which plays, and its source, whose frames are dropped until it is linked. REQUIRES: it has called
  // back with what the camera delivers.
  struct Connected {
    gst::ElementPtr pipeline;
    std::unique_ptr<LiveSource> source;
  };
  Connected take();

 private:
  void on_message(GstMessage* message);
  void on_error(GstMessage* message);
  void tick();
  void check_network(const std::string& otherwise);
  void fail(ErrorCode code, const std::string& sentence);
  void finish(const Result<Media>& media);

  const CameraCall call_;
  Done done_;
  gst::ElementPtr pipeline_;
  std::unique_ptr<LiveSource> source_;
  std::unique_ptr<NetworkCheck> check_;
  std::string missing_;  // GStreamer's text about a missing plugin
  guint bus_watch_ = 0, timer_ = 0;
};

}  // namespace bcp::cli::run
