// SPDX-License-Identifier: LGPL-2.1-or-later
// Detects that an input has stopped delivering while the rest of the pipeline waits for data.

#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "support/owners.hpp"

namespace bcp::cli::run {

// Belongs to the main thread. An input is active while bytes come from its source or pictures pass kVideoInlet, while
// pictures wait in kWaitingQueue (then the model or the encoder is slow), and after its end.
class StallWatch {
 public:
  // `pipeline` does not play yet. `longest`: how many ticks in a row may be without activity.
  StallWatch(GstElement* pipeline, unsigned longest);

  // Call this at regular intervals. It counts calls, not time, so that a suspended program does not count as stalled.
  // True: the input has stalled.
  bool tick();

 private:
  struct Activity {
    std::atomic<std::uint64_t> count{0};
    std::atomic<bool> ended{false};
  };
  static void watch_source(GstElement* bin, GstElement* source, gpointer activity);

  const gst::ElementPtr queue_;
  const std::shared_ptr<Activity> activity_ = std::make_shared<Activity>();
  const unsigned longest_;
  unsigned silent_ = 0;
  std::uint64_t seen_ = 0;
};

}  // namespace bcp::cli::run
