// SPDX-License-Identifier: LGPL-2.1-or-later

#include "decide/taught.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bcp::decide {
namespace {

constexpr double kVariance = 2.25;

Taught::Subject subject(const char* name, double score, std::optional<bool> present) {
  return {name, kVariance, score, present};
}

Taught clicked(const char* name, bool present) {
  Taught taught;
  taught.say(subject(name, 0, present), false);
  return taught;
}

TEST(Taught, AStatementMovesItsLabelInItsDirectionAndNarrowsTheVariance) {
  const Taught up = clicked("cat", true), down = clicked("cat", false);
  EXPECT_GT(up.offsets().at("cat").mean, 0.3);
  EXPECT_DOUBLE_EQ(down.offsets().at("cat").mean, -up.offsets().at("cat").mean);
  EXPECT_LT(up.offsets().at("cat").variance, kVariance);
  EXPECT_LT(up.variance(), Taught::kGlobalVariance);
}

TEST(Taught, AMissedLabelCountsLessThanAWrongOne) {
  Taught missed;
  missed.say(subject("cat", 0, true), true);
  EXPECT_GT(missed.offsets().at("cat").mean, 0);
  EXPECT_LT(missed.offsets().at("cat").mean, clicked("cat", true).offsets().at("cat").mean);
}

TEST(Taught, AFrameCountsPairsOnlyWhenAllItsLabelsAreKnown) {
  const std::vector<Taught::Anchor> anchors = {{"cat", 0.75}, {"street", 0.25}};
  Taught taught;
  taught.say_all(std::vector{subject("cat", 0, true), subject("dog", 0, std::nullopt)}, anchors);
  EXPECT_TRUE(taught.mass().empty());
  EXPECT_EQ(taught.offsets().size(), 1u);
  taught.say_all(std::vector{subject("cat", 0, true), subject("dog", 0, false)}, anchors);
  EXPECT_EQ(taught.mass(), (Taught::Counts{{"cat", 0.75}, {"street", 0.25}}));
  EXPECT_EQ(taught.together().size(), 1u);
  EXPECT_EQ(taught.together().at("cat").at("street"), 0.25);
  EXPECT_EQ(taught.statements(), 2u);
}

TEST(Taught, AddingIsCommutativeAndEmptyAddsNothing) {
  Taught a = clicked("cat", true), b = clicked("cat", true);
  b.say(subject("dog", 1, false), false);
  Taught ab = a, ba = b;
  ab.add(b);
  ba.add(a);
  for (const char* name : {"cat", "dog"}) {
    EXPECT_NEAR(ab.offsets().at(name).mean, ba.offsets().at(name).mean, 1e-12);
    EXPECT_NEAR(ab.offsets().at(name).variance, ba.offsets().at(name).variance, 1e-12);
  }
  EXPECT_NEAR(ab.offset(), ba.offset(), 1e-12);
  EXPECT_GT(ab.offsets().at("cat").mean, a.offsets().at("cat").mean);
  EXPECT_LT(ab.offsets().at("cat").variance, a.offsets().at("cat").variance);

  Taught same = a;
  same.add(Taught());
  EXPECT_EQ(same.offsets(), a.offsets());
  EXPECT_NEAR(same.offset(), a.offset(), 1e-15);
  EXPECT_NEAR(same.variance(), a.variance(), 1e-15);
}

TEST(Taught, CanBeRebuiltFromItsParts) {
  const Taught taught = clicked("cat", true);
  EXPECT_EQ(Taught(taught.parts()), taught);
}

}  // namespace
}  // namespace bcp::decide
