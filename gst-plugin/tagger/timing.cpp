// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/timing.hpp"

#include <algorithm>

namespace bcp::tagger {
namespace {

std::int64_t second_of(Rate::Clock::time_point time) {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

void Timing::add(double milliseconds) {
  recent_[count_++ % kRecent] = static_cast<float>(milliseconds);
  sum_ += milliseconds;
}

double Timing::percentile(unsigned percent) const {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(count_, kRecent));
  if (size == 0) return 0;
  std::array<float, kRecent> sorted = recent_;
  const auto rank = static_cast<std::ptrdiff_t>((size * percent + 99) / 100 - 1);
  std::nth_element(sorted.begin(), sorted.begin() + rank, sorted.begin() + static_cast<std::ptrdiff_t>(size));
  return static_cast<double>(sorted[static_cast<std::size_t>(rank)]);
}

void Rate::add(Clock::time_point now) {
  if (!begun_) first_ = now;
  begun_ = true;
  const std::int64_t number = second_of(now);
  Second& second = seconds_[static_cast<std::size_t>(number) % seconds_.size()];
  if (second.number != number) second = {number, 0};
  ++second.count;
}

double Rate::per_second(Clock::time_point now) const {
  if (!begun_) return 0;
  const std::int64_t oldest = second_of(now) - kWindow;
  std::uint64_t count = 0;
  for (const Second& second : seconds_) count += second.number >= oldest ? second.count : 0;
  // Since the first event if that is in the window, but over at least one second: shorter times give huge rates.
  const Clock::time_point since = std::max(first_, Clock::time_point(std::chrono::seconds(oldest)));
  return static_cast<double>(count) / std::max(1.0, std::chrono::duration<double>(now - since).count());
}

}  // namespace bcp::tagger
