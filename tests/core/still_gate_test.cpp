// SPDX-License-Identifier: LGPL-2.1-or-later
// Which frames are skipped because nothing has changed.

#include <gtest/gtest.h>

#include <array>

#include "tag/still_gate.hpp"

namespace bcp::tag {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Plain gray frames.
struct Gate {
  bool holds(int level, std::int64_t time) {
    bytes.fill(static_cast<std::uint8_t>(level));
    image::PictureFormat format;
    format.layout = image::Layout::kGray;
    format.width = format.height = 32;
    return gate.holds(format, image::whole(format), {{bytes.data()}, {32}}, time);
  }
  // Whether the frame was scored.
  bool score(int level, std::int64_t time, bool settled = true) {
    if (holds(level, time)) return false;
    gate.scored(settled, 0);
    return true;
  }

  StillGate gate;
  std::array<std::uint8_t, 32 * 32> bytes{};
};

TEST(StillGate, HoldsWhileThePictureIsUnchanged) {
  Gate gate;
  EXPECT_TRUE(gate.score(100, 0)) << "the first";
  EXPECT_FALSE(gate.score(100, 1));
  EXPECT_FALSE(gate.score(102, 2));
  EXPECT_TRUE(gate.score(110, 3));
  EXPECT_FALSE(gate.score(110, 4));
  EXPECT_TRUE(gate.score(100, 5));
}

TEST(StillGate, NoticesSlowDrift) {
  Gate gate;
  int scored = 0;
  for (int i = 0; i < 100; ++i) scored += gate.score(50 + i, i);
  EXPECT_EQ(scored, 17);  // every sixth level
}

TEST(StillGate, ScoresOneFrameEveryTenSeconds) {
  Gate gate;
  std::vector<int> scored;
  for (int second = 0; second < 35; ++second)
    if (gate.score(100, second * kSecond)) scored.push_back(second);
  EXPECT_EQ(scored, (std::vector{0, 10, 20, 30}));
}

TEST(StillGate, ScoresAFrameWithAnEarlierTime) {
  Gate gate;
  EXPECT_TRUE(gate.score(100, 5 * kSecond));
  EXPECT_TRUE(gate.score(100, 4 * kSecond));
}

TEST(StillGate, ScoresUntilTheResultHasSettled) {
  Gate gate;
  EXPECT_TRUE(gate.score(100, 0, false));
  EXPECT_TRUE(gate.score(100, 1, false));
  EXPECT_TRUE(gate.score(100, 2, true));
  EXPECT_FALSE(gate.score(100, 3));
}

TEST(StillGate, ScoresForTheAveragingSpanAfterAChange) {
  Gate gate;
  std::vector<int> scored;
  for (int i = 0; i < 200; ++i) {
    if (gate.holds(i < 50 ? 100 : 150, i * kSecond / 10)) continue;
    gate.gate.scored(true, kSecond / 2);
    scored.push_back(i);
  }
  // Half a second from the first frame and from the change on; then one after ten seconds.
  EXPECT_EQ(scored, (std::vector{0, 1, 2, 3, 4, 5, 50, 51, 52, 53, 54, 55, 155}));
}

TEST(StillGate, DoesNotHoldAfterAFrameThatCouldNotBeScored) {
  Gate gate;
  EXPECT_TRUE(gate.score(100, 0));
  EXPECT_FALSE(gate.holds(150, 1));  // scored() is not called
  EXPECT_FALSE(gate.holds(150, 2));
  EXPECT_FALSE(gate.holds(100, 3));
  gate.gate.scored(true, 0);
  EXPECT_TRUE(gate.holds(100, 4));
}

TEST(StillGate, DoesNotHoldAfterAReset) {
  Gate gate;
  EXPECT_TRUE(gate.score(100, 0));
  gate.gate.reset();
  EXPECT_TRUE(gate.score(100, 1));
}

}  // namespace
}  // namespace bcp::tag
