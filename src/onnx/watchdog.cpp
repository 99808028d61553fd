// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onnx/watchdog.hpp"

#include <cstdint>
#include <utility>

namespace bcp::onnx {

Watchdog::Watchdog(std::chrono::milliseconds limit, std::function<void()> end)
    : limit_(limit), end_(std::move(end)), thread_([this] { run(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

// Checks every `limit_` whether the same turn is still running: then it began at least that long ago.
void Watchdog::run() {
  std::unique_lock lock(mutex_);
  std::int64_t seen = turn_;
  while (!stop_) {
    if (seen % 2 == 0 && seen == turn_) {
      asleep_ = true;
      // Read again: a turn that began before asleep_ was set did not notify.
      wake_.wait(lock, [&] { return stop_ || turn_ != seen; });
      asleep_ = false;
    }
    seen = turn_;
    if (stop_ || wake_.wait_for(lock, limit_, [&] { return stop_; })) return;
    if (seen % 2 == 0 || ended_turn_ == seen) continue;
    ending_ = true;
    if (turn_ == seen) {
      ended_turn_ = seen;
      end_();
    }
    ending_ = false;
  }
}

Watchdog::Watch::Watch(Watchdog& dog) : dog_(dog), turn_(++dog.turn_) {
  if (!dog_.asleep_) return;
  // With the lock, or the notification could come between the thread's last check and its sleep.
  const std::lock_guard lock(dog_.mutex_);
  dog_.wake_.notify_one();
}

Watchdog::Watch::~Watch() {
  finish();
}

bool Watchdog::Watch::finish() {
  if (!std::exchange(finished_, true)) {
    ++dog_.turn_;
    // A call to end() in progress belongs to this turn: it must not affect the next.
    if (dog_.ending_) const std::lock_guard wait(dog_.mutex_);
  }
  return ended();
}

bool Watchdog::Watch::ended() const {
  return dog_.ended_turn_ == turn_;
}

}  // namespace bcp::onnx
