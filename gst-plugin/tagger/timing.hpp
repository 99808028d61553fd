// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Durations and rates, with a fixed amount of memory.
//
// add() is O(1); percentiles and rates are computed on request.
//
// Thread safety: none.

#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace bcp::tagger {

// Durations of one stage, in milliseconds: the mean of all, percentiles of the last few hundred.
class Timing {
 public:
  void add(double milliseconds);

  std::uint64_t count() const { return count_; }
  double sum() const { return sum_; }
  double mean() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : 0; }
  double p50() const { return percentile(50); }
  double p99() const { return percentile(99); }
  // The shortest recent duration that `percent` of the recent ones do not exceed; 0 if nothing was added.
  // REQUIRES: 1 <= percent <= 100.
  double percentile(unsigned percent) const;

 private:
  static constexpr std::size_t kRecent = 512;
  std::array<float, kRecent> recent_{};  // a ring buffer: index is count modulo size
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

// Events per second, the mean of about the last ten seconds. Falls to 0 when there are no more events.
class Rate {
 public:
  using Clock = std::chrono::steady_clock;

  // Counts an event. REQUIRES: `now` is at most the window before the latest earlier `now`.
  void add(Clock::time_point now);
  double per_second(Clock::time_point now) const;

 private:
  static constexpr std::int64_t kWindow = 10;  // whole seconds, plus the current partial one
  struct Second {
    std::int64_t number = -1;  // since the clock's epoch; -1: unused
    std::uint32_t count = 0;
  };
  std::array<Second, kWindow + 1> seconds_{};  // a ring buffer indexed by number
  Clock::time_point first_{};
  bool begun_ = false;
};

}  // namespace bcp::tagger
