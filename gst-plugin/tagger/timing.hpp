// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How long something takes, and how often it happens: measured for years at a fixed cost.
//
// Adding is O(1); what takes sorting or summing is worked out when it is asked for.
//
// Thread safety: none.

#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace bcp::tagger {

// Durations of one stage, in milliseconds: the mean over all, percentiles of the last few hundred.
class Timing {
 public:
  void add(double milliseconds);

  std::uint64_t count() const { return count_; }
  double sum() const { return sum_; }
  double mean() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : 0; }
  double p50() const { return percentile(50); }
  double p99() const { return percentile(99); }
  // The shortest of the last few hundred that `percent` of them do not exceed; 0 when there are none.
  // REQUIRES: 1 <= percent <= 100.
  double percentile(unsigned percent) const;

 private:
  static constexpr std::size_t kRecent = 512;
  std::array<float, kRecent> recent_{};  // a ring: the count-th goes to count modulo size
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

// How often something happens: the mean of the last ten seconds or so. It falls to 0 when nothing happens any more.
class Rate {
 public:
  using Clock = std::chrono::steady_clock;

  // It happened. REQUIRES: `now` is not before that of an earlier call by more than the window.
  void add(Clock::time_point now);
  double per_second(Clock::time_point now) const;

 private:
  static constexpr std::int64_t kWindow = 10;  // whole seconds, and what has passed of the present one
  struct Second {
    std::int64_t number = -1;  // since the clock's epoch; -1: none
    std::uint32_t count = 0;
  };
  std::array<Second, kWindow + 1> seconds_{};  // a ring by number
  Clock::time_point first_{};
  bool begun_ = false;
};

}  // namespace bcp::tagger
