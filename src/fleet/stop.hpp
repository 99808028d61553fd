// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Ends waits of another thread: for time to pass; and for sockets, whose waits ask is_raised() every 100 ms.
//
// Thread safety: any thread may call anything.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace bcp::fleet {

class Stop {
 public:
  void raise();
  // Ends the next wait() early, once, without a stop.
  void wake();
  bool is_raised() const { return raised_; }
  // Waits for this long, or until raised or woken. Returns is_raised().
  bool wait(std::chrono::milliseconds most);

 private:
  std::atomic<bool> raised_ = false;
  std::mutex mutex_;  // a leaf, guards woken_
  std::condition_variable changed_;
  bool woken_ = false;
};

}  // namespace bcp::fleet
