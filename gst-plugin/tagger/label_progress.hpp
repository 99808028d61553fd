// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Posts the progress of encoding labels on the bus, every 500 ms.
//
// Thread safety: none. One instance belongs to the thread that encodes.

#pragma once

#include <gst/gst.h>

#include <chrono>
#include <optional>
#include <utility>

#include "tagger/messages.hpp"

namespace bcp::tagger {

class LabelProgress {
 public:
  explicit LabelProgress(GstElement* element) : element_(element) {}

  void update(unsigned serial, std::size_t done, std::size_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (std::exchange(serial_, serial) != serial) posted_ = now;
    if (now - posted_ < std::chrono::milliseconds(500)) return;
    posted_ = now;
    post_labels_progress(element_, serial, done, total);
  }

 private:
  GstElement* element_;
  std::optional<unsigned> serial_;
  std::chrono::steady_clock::time_point posted_;
};

}  // namespace bcp::tagger
