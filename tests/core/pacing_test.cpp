// SPDX-License-Identifier: LGPL-2.1-or-later

#include <gtest/gtest.h>

#include "tag/pacing.hpp"

namespace bcp::tag {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Frames scored out of `frames` at `fps`.
int scored(Pacing& pacing, const PacingSettings& settings, int frames, int fps, std::int64_t start = 0) {
  int count = 0;
  for (int i = 0; i < frames; ++i) count += pacing.next(start + i * kSecond / fps, false, settings) == Pace::kScore;
  return count;
}

TEST(Pacing, ScoresEveryFrameByDefault) {
  Pacing pacing;
  EXPECT_EQ(scored(pacing, {}, 50, 25), 50);
}

TEST(Pacing, ReportsWhetherAFrameWasForced) {
  Pacing pacing;
  pacing.next(0, false, {});
  EXPECT_TRUE(pacing.was_forced()) << "the first frame";
  pacing.next(1, false, {});
  EXPECT_FALSE(pacing.was_forced());
  pacing.force();
  pacing.next(2, false, {});
  EXPECT_TRUE(pacing.was_forced());
  pacing.give_back();
  pacing.next(3, false, {});
  EXPECT_TRUE(pacing.was_forced()) << "the frame before could not be scored";
}

TEST(Pacing, ScoresEveryNthFrame) {
  Pacing pacing;
  EXPECT_EQ(scored(pacing, {.interval = 5}, 50, 25), 10);
}

TEST(Pacing, ScoresOneFrameAtATinyRate) {
  Pacing pacing;
  EXPECT_EQ(scored(pacing, {.max_rate = 1e-300}, 50, 25), 1);
}

TEST(Pacing, KeepsTheRateForFramesOffTheBeat) {
  for (const int fps : {25, 30, 50, 60}) {
    Pacing pacing;
    EXPECT_NEAR(scored(pacing, {.max_rate = 10}, 10 * fps, fps), 100, 1) << fps;
  }
}

TEST(Pacing, ScoresAllFramesOfAStreamSlowerThanTheRate) {
  Pacing pacing;
  EXPECT_EQ(scored(pacing, {.max_rate = 10}, 20, 1), 20);
}

TEST(Pacing, DoesNotMakeUpForAPauseInABurst) {
  Pacing pacing;
  scored(pacing, {.max_rate = 2}, 30, 30);
  EXPECT_LE(scored(pacing, {.max_rate = 2}, 30, 30, 60 * kSecond), 3);
}

TEST(Pacing, ContinuesWhenTimeRunsBack) {
  Pacing pacing;
  scored(pacing, {.max_rate = 2}, 30, 30, 1000 * kSecond);
  EXPECT_EQ(scored(pacing, {.max_rate = 2}, 60, 30, 0), 4);
}

TEST(Pacing, ScoresTheFirstFrameAfterAChange) {
  Pacing pacing;
  const PacingSettings settings{.interval = 100, .max_rate = 0.1};
  EXPECT_EQ(pacing.next(0, false, settings), Pace::kScore);
  EXPECT_EQ(pacing.next(1, false, settings), Pace::kHold);
  pacing.force();
  EXPECT_EQ(pacing.next(2, true, settings), Pace::kScore);
  EXPECT_EQ(pacing.next(3, false, settings), Pace::kHold);
}

TEST(Pacing, SkipsLateFramesAndScoresTheNextInTime) {
  Pacing pacing;
  const PacingSettings settings{.interval = 2};
  EXPECT_EQ(pacing.next(0, false, settings), Pace::kScore);
  EXPECT_EQ(pacing.next(1, true, settings), Pace::kHold);
  EXPECT_EQ(pacing.next(2, true, settings), Pace::kLate);
  EXPECT_EQ(pacing.next(3, false, settings), Pace::kScore);
}

TEST(Pacing, ScoresOneFramePerSecondWhenAllAreLate) {
  Pacing pacing;
  int count = 0;
  for (int i = 0; i < 250; ++i) count += pacing.next(i * kSecond / 25, true, {}) == Pace::kScore;
  EXPECT_EQ(count, 10);
}

TEST(Pacing, AReturnedTurnGoesToTheNextFrame) {
  for (const PacingSettings& settings : {PacingSettings{.interval = 50}, PacingSettings{.max_rate = 0.01}}) {
    Pacing pacing;
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(pacing.next(i, false, settings), Pace::kScore) << i;
      pacing.give_back();
    }
    EXPECT_EQ(pacing.next(3, false, settings), Pace::kScore);
    EXPECT_EQ(pacing.next(4, false, settings), Pace::kHold);
  }
}

TEST(Pacing, AReturnedTurnDoesNotScoreALateFrame) {
  Pacing pacing;
  EXPECT_EQ(pacing.next(0, false, {}), Pace::kScore);
  EXPECT_EQ(pacing.next(1, false, {}), Pace::kScore);
  pacing.give_back();
  EXPECT_EQ(pacing.next(2, true, {}), Pace::kLate);
}

}  // namespace
}  // namespace bcp::tag
