// SPDX-License-Identifier: LGPL-2.1-or-later
// What is in a stream, found out before anything is done with it.

#pragma once

#include <gst/gst.h>
#include <gst/pbutils/pbutils.h>

#include <chrono>
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

// Looks at one address, on a thread of its own: a source may take seconds to fail, and the main loop has others to look
// after. Calls back once, from the default main loop; dropping it calls nobody and does not wait. An error of the kind
// kRuntime may be gone another time.
class MediaProbe {
 public:
  using Done = std::function<void(Result<Media>)>;
  MediaProbe(const std::string& uri, const std::string& name, Done done);
  MediaProbe(const MediaProbe&) = delete;
  MediaProbe& operator=(const MediaProbe&) = delete;
  ~MediaProbe();

  // Waits for those that were dropped to close their connections, but no longer than this: for the end of a program.
  static void wait_for_all(std::chrono::milliseconds longest);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace bcp::cli::run
