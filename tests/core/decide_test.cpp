// SPDX-License-Identifier: LGPL-2.1-or-later

#include <gtest/gtest.h>

#include "decide/decision.hpp"
#include "decide/events.hpp"

namespace bcp::decide {
namespace {

using Shown = std::vector<std::uint8_t>;

Shown copy(std::span<const std::uint8_t> shown) {
  return {shown.begin(), shown.end()};
}

TEST(Decision, ShowsWhatReachesTheThreshold) {
  Decision decision;
  EXPECT_EQ(copy(decision.decide(std::vector{0.5, 0.2, 0.19}, {}, {})), (Shown{1, 1, 0}));
}

TEST(Decision, LetsALabelHaveItsOwnThreshold) {
  Decision decision;
  const std::vector<std::optional<double>> own{0.6, std::nullopt, 0.1};
  EXPECT_EQ(copy(decision.decide(std::vector{0.5, 0.2, 0.15}, own, {})), (Shown{0, 1, 1}));
}

TEST(Decision, KeepsAShownLabelUntilItFallsBelowTheLowerThreshold) {
  Decision decision;
  const DecisionSettings settings{.threshold = 0.5, .threshold_off = 0.3};
  EXPECT_EQ(copy(decision.decide(std::vector{0.4}, {}, settings)), Shown{0});
  EXPECT_EQ(copy(decision.decide(std::vector{0.5}, {}, settings)), Shown{1});
  EXPECT_EQ(copy(decision.decide(std::vector{0.3}, {}, settings)), Shown{1});
  EXPECT_EQ(copy(decision.decide(std::vector{0.29}, {}, settings)), Shown{0});
  EXPECT_EQ(copy(decision.decide(std::vector{0.4}, {}, settings)), Shown{0});
}

TEST(Decision, ShowsTheLikeliestOfThem) {
  Decision decision;
  EXPECT_EQ(copy(decision.decide(std::vector{0.21, 0.3, 0.25, 0.3}, {}, {.threshold_off = {}, .top_k = 2})),
            (Shown{0, 1, 0, 1}));
  EXPECT_EQ(copy(decision.decide(std::vector{0.21, 0.3, 0.25, 0.1}, {}, {.threshold_off = {}, .top_k = 9})),
            (Shown{1, 1, 1, 0}));
}

TEST(Decision, FollowsALabelToItsNewPlace) {
  Decision decision;
  const DecisionSettings settings{.threshold = 0.5, .threshold_off = 0.3};
  decision.decide(std::vector{0.6, 0.4}, {}, settings);
  decision.relabel(std::vector{-1, 1, 0});
  EXPECT_EQ(copy(decision.decide(std::vector{0.4, 0.4, 0.4}, {}, settings)), (Shown{0, 0, 1}));
}

TEST(Decision, KeepsALabelDownToAShareOfItsOwnThreshold) {
  Decision decision;
  const DecisionSettings settings = settings_of(Rule::kPresence);
  const std::vector<std::optional<double>> own{std::nullopt, 0.2};
  EXPECT_EQ(copy(decision.decide(std::vector{0.5, 0.2}, own, settings)), (Shown{1, 1}));
  EXPECT_EQ(copy(decision.decide(std::vector{0.4, 0.161}, own, settings)), (Shown{1, 1}));
  EXPECT_EQ(copy(decision.decide(std::vector{0.39, 0.15}, own, settings)), (Shown{0, 0}));
}

TEST(Decision, AsksForTheThresholdAgainAfterACut) {
  Decision decision;
  const DecisionSettings settings = settings_of(Rule::kPresence);
  decision.decide(std::vector{0.6, 0.6}, {}, settings);
  decision.cut();
  EXPECT_EQ(copy(decision.decide(std::vector{0.45, 0.6}, {}, settings)), (Shown{0, 1}));
}

TEST(Decision, ShowsALabelOnceItHasBeenThereForTheMinimumDuration) {
  Decision decision;
  DecisionSettings settings;
  settings.min_duration = 1;
  const auto at = [&](double probability, std::optional<double> time) {
    return copy(decision.decide(std::vector{probability}, {}, settings, time));
  };
  EXPECT_EQ(at(0.9, 0.0), Shown{0});
  EXPECT_EQ(at(0.9, 0.5), Shown{0});
  decision.cut();
  EXPECT_EQ(at(0.9, 1.0), Shown{1}) << "a cut does not start the time again for what is still there";
  EXPECT_EQ(at(0.1, 1.5), Shown{0});
  EXPECT_EQ(at(0.9, 2.0), Shown{0}) << "it came anew";
  EXPECT_EQ(at(0.9, std::nullopt), Shown{1}) << "no time, no wait";
}

std::string letter(std::size_t k) {
  return std::string(1, static_cast<char>('a' + k));
}

TEST(EventTracker, ReportsLabelsThatComeAndGo) {
  EventTracker tracker;
  auto events = tracker.update(Shown{1, 0}, letter, 1.0);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].label, "a");
  EXPECT_TRUE(events[0].on);
  EXPECT_TRUE(tracker.update(Shown{1, 0}, letter, 2.0).empty());
  events = tracker.update(Shown{0, 1}, letter, 3.5);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].label, "b");
  EXPECT_FALSE(events[1].on);
  EXPECT_EQ(events[1].duration, 2.5);
}

TEST(EventTracker, EndsALabelThatIsNoLongerInTheListAndAllAtTheEnd) {
  EventTracker tracker;
  tracker.update(Shown{1, 1}, letter, 0.0);
  const auto events = tracker.update(Shown{1}, letter, 1.0);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].label, "b");
  const auto rest = tracker.finish({});
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].label, "a");
  EXPECT_FALSE(rest[0].duration);
  EXPECT_TRUE(tracker.finish({}).empty());
}

}  // namespace
}  // namespace bcp::decide
