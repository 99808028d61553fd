// SPDX-License-Identifier: LGPL-2.1-or-later
// What is in a stream, found out before anything is done with it.

#pragma once

#include <gst/gst.h>
#include <gst/pbutils/pbutils.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace bcp::cli::run {

struct Media {
  std::optional<GstClockTime> duration;
  int width = 0, height = 0;  // as stored; a rotation is on top of it
  int par_n = 1, par_d = 1;   // shape of a pixel
  double rate = 0;            // frames a second; 0: unknown
  bool rotated = false;       // to be turned or mirrored before it is shown
  bool sideways = false;      // by a quarter: width and height change places
  std::string sound;          // media type of the first audio stream, "audio/mpeg,mpegversion=4"; empty: none
};

// Lets a bin that decodes begin with the first picture of an HTTP camera (multipart), instead of waiting for the
// streams there might be besides: they never come, and it waits until its queues are full.
void expect_one_stream(GstElement* bin);

// Looks at one address and calls back once, from the main loop; dropping it calls nobody. An error of the kind kRuntime
// may be gone another time.
class MediaProbe {
 public:
  using Done = std::function<void(Result<Media>)>;
  static Result<std::unique_ptr<MediaProbe>> start(const std::string& uri, std::string name, Done done);

  MediaProbe(const MediaProbe&) = delete;
  MediaProbe& operator=(const MediaProbe&) = delete;
  ~MediaProbe();

 private:
  MediaProbe(GstDiscoverer* discoverer, std::string name, Done done);
  static void on_discovered(GstDiscoverer*, GstDiscovererInfo* info, GError* error, gpointer self);

  GstDiscoverer* discoverer_;
  std::string name_;
  Done done_;
};

}  // namespace bcp::cli::run
