// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onnx/watchdog.hpp"

#include <gtest/gtest.h>

namespace bcp::onnx {
namespace {

using namespace std::chrono_literals;

TEST(Watchdog, EndsSlowWorkOnce) {
  std::atomic<int> ends = 0;
  Watchdog dog(20ms, [&] { ++ends; });
  {
    const Watchdog::Watch watch(dog);
    for (int i = 0; i < 500 && ends == 0; ++i) std::this_thread::sleep_for(2ms);
    std::this_thread::sleep_for(100ms);
    EXPECT_TRUE(watch.ended());
  }
  EXPECT_EQ(ends, 1);
  const Watchdog::Watch next(dog);
  EXPECT_FALSE(next.ended());
}

TEST(Watchdog, IgnoresWorkThatEndsInTime) {
  std::atomic<int> ends = 0;
  Watchdog dog(2000ms, [&] { ++ends; });
  for (int i = 0; i < 2000; ++i) {
    const Watchdog::Watch watch(dog);
    EXPECT_FALSE(watch.ended());
  }
  EXPECT_EQ(ends, 0);
}

TEST(Watchdog, WatchesAgainAfterItSlept) {
  std::atomic<int> ends = 0;
  Watchdog dog(10ms, [&] { ++ends; });
  for (int round = 1; round <= 3; ++round) {
    std::this_thread::sleep_for(50ms);  // long enough to find no work and sleep
    const Watchdog::Watch watch(dog);
    for (int i = 0; i < 500 && ends < round; ++i) std::this_thread::sleep_for(2ms);
    EXPECT_EQ(ends, round);
  }
}

// After the watch is finished, the effect of the end can be undone safely.
TEST(Watchdog, EndsNothingAfterTheWatchIsFinished) {
  std::atomic<bool> terminated = false;
  Watchdog dog(1ms, [&] { terminated = true; });
  for (int i = 0; i < 2000; ++i) {
    Watchdog::Watch watch(dog);
    if (i % 10 == 0) std::this_thread::sleep_for(1ms);
    if (watch.finish()) terminated = false;
    ASSERT_FALSE(terminated) << i;
  }
}

TEST(Watchdog, EndsWhenNothingWasWatched) {
  for (int i = 0; i < 50; ++i) Watchdog(std::chrono::hours(1), [] {});
}

}  // namespace
}  // namespace bcp::onnx
