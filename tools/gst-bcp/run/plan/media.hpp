// SPDX-License-Identifier: LGPL-2.1-or-later
// What a stream contains, probed before the pipeline is built.

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
  int width = 0, height = 0;  // as stored, before rotation
  int par_n = 1, par_d = 1;   // shape of a pixel
  double rate = 0;            // frames a second; 0: unknown
  bool rotated = false;       // must be rotated or mirrored for display
  bool sideways = false;      // by a quarter: width and height are swapped
  std::string sound;          // media type of the first audio stream, "audio/mpeg,mpegversion=4"; empty: none
};

// Lets a decoding bin start with the first picture of an HTTP camera (multipart). By default it waits for more streams,
// which never come, until its queues are full.
void expect_one_stream(GstElement* bin);

// Probes one address on its own thread: a source may take seconds to fail, and must not block the main loop. Calls back
// once, from the default main loop; if the probe is dropped earlier, there is no callback and no wait. After an error
// of the code kRuntime a retry may work.
class MediaProbe {
 public:
  using Done = std::function<void(Result<Media>)>;
  MediaProbe(const std::string& uri, const std::string& name, Done done);
  MediaProbe(const MediaProbe&) = delete;
  MediaProbe& operator=(const MediaProbe&) = delete;
  ~MediaProbe();

  // Waits until dropped probes have closed their connections, but no longer than this: for the end of a program.
  static void wait_for_all(std::chrono::milliseconds longest);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace bcp::cli::run
