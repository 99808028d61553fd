// SPDX-License-Identifier: LGPL-2.1-or-later
// How often passwords may be tried: five times at once from one address, then once in ten seconds; from all addresses
// together sixty times a minute. One thread.

#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>

namespace bcp::cli::view {

class LoginLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr double kBurst = 5, kSeconds = 10;  // of one address
  static constexpr double kBurstOfAll = 60, kSecondsOfAll = 1;
  static constexpr std::size_t kMostAddresses = 256;  // remembered

  // Whether a try is due now; it counts if so.
  bool allows(const std::string& address, Clock::time_point now);
  // The password was right: earlier tries do not count any more.
  void forget(const std::string& address) { buckets_.erase(address); }
  std::size_t addresses() const { return buckets_.size(); }

 private:
  struct Bucket {
    double left;
    Clock::time_point when;
    bool take(double burst, double seconds, Clock::time_point now);
  };
  void make_room();

  std::map<std::string, Bucket> buckets_;
  Bucket all_{kBurstOfAll, {}};
};

}  // namespace bcp::cli::view
