// SPDX-License-Identifier: LGPL-2.1-or-later
// Notices that an input has stopped to deliver, while what comes behind it waits for more.

#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "support/owners.hpp"

namespace bcp::cli::run {

// Belongs to the main thread. An input is active while bytes come from its source or pictures pass kVideoInlet, while
// pictures wait in kWaitingQueue (then the model or the encoder is what takes its time), and once its end has come.
class StallWatch {
 public:
  // `pipeline` does not play yet. `longest`: how many ticks in a row may be without activity.
  StallWatch(GstElement* pipeline, unsigned longest);

  // To be called in regular intervals; counting these instead of the time leaves out when the program was suspended.
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
