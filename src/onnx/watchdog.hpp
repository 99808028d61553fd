// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls a function when some work takes too long.
//
// For work that runs many times a second and nearly always ends in time: watching it costs two atomic stores. The
// watching thread sleeps until the earliest deadline, or indefinitely while nothing is watched.

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
  // `end` is called on another thread, once for each piece of work that takes longer than `limit`: up to twice `limit`
  // after the start.
  Watchdog(std::chrono::milliseconds limit, std::function<void()> end);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Watches the work during its lifetime. Only one may exist at a time.
  class Watch {
   public:
    explicit Watch(Watchdog& dog);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    // Whether end() has been called so far.
    bool ended() const;
    // Ends the watch; returns whether end() was called. It is not called after this, so the caller can undo its effect.
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
  std::atomic<bool> asleep_ = false;  // sleeps until notified
  std::atomic<bool> ending_ = false;  // end() is being called, under mutex_
  bool stop_ = false;                 // under mutex_
  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread thread_;  // last: it uses the members above
};

}  // namespace bcp::onnx
