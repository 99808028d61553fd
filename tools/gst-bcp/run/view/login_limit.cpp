// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/login_limit.hpp"

#include <algorithm>

namespace bcp::cli::view {

bool LoginLimit::Bucket::take(double burst, double seconds, Clock::time_point now) {
  left = std::min(burst, left + std::chrono::duration<double>(now - when).count() / seconds);
  when = now;
  if (left < 1) return false;
  left -= 1;
  return true;
}

bool LoginLimit::allows(const std::string& address, Clock::time_point now) {
  if (!buckets_.contains(address)) make_room();
  Bucket& own = buckets_.try_emplace(address, Bucket{kBurst, now}).first->second;
  return own.take(kBurst, kSeconds, now) && all_.take(kBurstOfAll, kSecondsOfAll, now);
}

// The address that was seen longest ago is nearest to its full number of tries.
void LoginLimit::make_room() {
  if (buckets_.size() < kMostAddresses) return;
  buckets_.erase(std::min_element(buckets_.begin(), buckets_.end(),
                                  [](const auto& a, const auto& b) { return a.second.when < b.second.when; }));
}

}  // namespace bcp::cli::view
