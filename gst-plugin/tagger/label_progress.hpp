// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Tells the bus how far an encoding of labels is, once it has taken long enough to wonder.
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
    if (std::exchange(serial_, serial) != serial) told_ = now;
    if (now - told_ < std::chrono::milliseconds(500)) return;
    told_ = now;
    post_labels_progress(element_, serial, done, total);
  }

 private:
  GstElement* element_;
  std::optional<unsigned> serial_;
  std::chrono::steady_clock::time_point told_;
};

}  // namespace bcp::tagger
