// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls for an end when something takes too long.
//
// Made for work that is done many times a second and nearly always ends in time: watching one piece of it costs two
// atomic stores. The thread that watches sleeps until the first deadline it knows of; while nothing is watched it
// sleeps for good.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace bcp::onnx {

class Watchdog {
 public:
  // `end` is called on another thread, once for each piece of work that outlasts `limit`: up to twice `limit` after it
  // began.
  Watchdog(std::chrono::milliseconds limit, std::function<void()> end);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // While one is alive, the work is watched. One at a time.
  class Watch {
   public:
    explicit Watch(Watchdog& dog);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    // Whether the end has been called for so far.
    bool ended() const;
    // Ends the watch: whether the end was called for. After this it is not, and what calling for it did can be undone.
    bool finish();

   private:
    Watchdog& dog_;
    std::int64_t turn_;
    bool finished_ = false;
  };

 private:
  void run();

  const std::chrono::milliseconds limit_;
  const std::function<void()> end_;
  std::atomic<std::int64_t> turn_ = 0;  // odd while something is watched
  std::atomic<std::int64_t> ended_turn_ = 0;
  std::atomic<bool> asleep_ = false;  // for good, until notified
  std::atomic<bool> ending_ = false;  // the end of some turn is being called for, under mutex_
  bool stop_ = false;                 // under mutex_
  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace bcp::onnx
