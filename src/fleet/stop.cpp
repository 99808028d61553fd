// SPDX-License-Identifier: LGPL-2.1-or-later

#include "fleet/stop.hpp"

namespace bcp::fleet {

void Stop::raise() {
  raised_ = true;
  wake();
}

void Stop::wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  changed_.notify_all();
}

bool Stop::wait(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most, [this] { return woken_ || raised_; });
  woken_ = false;
  return raised_;
}

}  // namespace bcp::fleet
