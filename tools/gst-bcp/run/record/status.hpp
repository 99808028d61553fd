// SPDX-License-Identifier: LGPL-2.1-or-later
// What a recording does at the moment, for pages, metrics and brokers. Any thread.

#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace bcp::cli::run {

class RecordStatus {
 public:
  enum class State {
    kWaiting,    // for the camera, or for the condition
    kRecording,  // a file is being written
    kFault,      // the disk takes nothing; tried again
  };
  struct Now {
    State state = State::kWaiting;
    std::uint64_t bytes = 0;  // written by this run, in all files
    std::uint64_t files = 0;  // begun by this run
    std::string last_file;    // the one that is written, or the last; with its folder
    std::string fault;        // a sentence; empty unless kFault
  };

  Now now() const {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  void set(Now now) {
    const std::lock_guard lock(mutex_);
    now_ = std::move(now);
  }

 private:
  mutable std::mutex mutex_;
  Now now_;
};

}  // namespace bcp::cli::run
