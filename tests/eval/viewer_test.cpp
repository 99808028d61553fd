// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <cmath>

#include "eval/viewer.hpp"

namespace bcp::eval {
namespace {

constexpr double kFrameRate = 10;
using Frame = std::vector<double>;

void show(Viewer& viewer, const std::vector<std::int8_t>& truth, const std::vector<Frame>& shot) {
  for (std::size_t i = 0; i < shot.size(); ++i) viewer.see(i == 0, shot[i], truth);
}

TEST(Viewer, SeesNoFlickerWithoutChanges) {
  Viewer viewer({}, kFrameRate);
  show(viewer, {1, 0}, std::vector<Frame>(50, {0.9, 0.1}));
  const Impression seen = viewer.impression();
  EXPECT_EQ(seen.flicker, 0);
  EXPECT_EQ(seen.first_label, 0);
  EXPECT_EQ(seen.never_named, 0);
  EXPECT_EQ(seen.f1, 100);
}

TEST(Viewer, CountsEveryChangeWithinAShot) {
  Viewer viewer({}, kFrameRate);
  std::vector<Frame> shot;
  for (int i = 0; i < 600; ++i) shot.push_back({0.9, i % 2 == 0 ? 0.3 : 0.1});
  show(viewer, {1, 0}, shot);
  EXPECT_EQ(viewer.impression().flicker, 599) << "600 frames are one minute";
}

TEST(Viewer, DoesNotCountChangesBetweenShots) {
  Viewer viewer({}, kFrameRate);
  for (int i = 0; i < 100; ++i) show(viewer, {1, 1}, {i % 2 == 0 ? Frame{0.9, 0.1} : Frame{0.1, 0.9}});
  EXPECT_EQ(viewer.impression().flicker, 0);
}

TEST(Viewer, SeesLessFlickerWithHysteresis) {
  Viewer viewer({.threshold = 0.2, .threshold_off = 0.1, .top_k = 0}, kFrameRate);
  std::vector<Frame> shot;
  for (int i = 0; i < 600; ++i) shot.push_back({0.9, i % 2 == 0 ? 0.3 : 0.1});
  show(viewer, {1, 0}, shot);
  EXPECT_EQ(viewer.impression().flicker, 0);
}

TEST(Viewer, WaitsForTheFirstTrueLabel) {
  Viewer viewer({}, kFrameRate);
  const Frame wrong = {0.1, 0.9, 0.0}, right = {0.3, 0.7, 0.0}, nothing = {0.1, 0.1, 0.1};
  show(viewer, {1, 0, 0}, {wrong, wrong, wrong, right, wrong, right});  // 0.3 s
  show(viewer, {1, 0, 0}, {right});                                     // at once
  show(viewer, {1, 0, 0}, {wrong, nothing});                            // never
  show(viewer, {0, 0, 0}, {wrong});                                     // nothing to name
  show(viewer, {-1, 0, 0}, {right});                                    // nothing to name
  const Impression seen = viewer.impression();
  EXPECT_DOUBLE_EQ(seen.first_label, 0.15);
  EXPECT_DOUBLE_EQ(seen.never_named, 100.0 / 3);
}

TEST(Viewer, CountsLabelsForF1AndIgnoresTruthMinusOne) {
  Viewer viewer({}, kFrameRate);
  show(viewer, {1, 0, -1, 1}, {{0.4, 0.3, 0.3, 0.0}});  // one hit, one wrong, one missed
  EXPECT_DOUBLE_EQ(viewer.impression().f1, 50);
}

TEST(Viewer, HasNoFiguresWithoutData) {
  Viewer viewer({}, kFrameRate);
  show(viewer, {0, 0}, {{0.1, 0.1}});
  const Impression seen = viewer.impression();
  EXPECT_TRUE(std::isnan(seen.first_label));
  EXPECT_TRUE(std::isnan(seen.never_named));
  EXPECT_TRUE(std::isnan(seen.f1));
}

}  // namespace
}  // namespace bcp::eval
