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

TEST(Decision, ShowsLabelsThatReachTheThreshold) {
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

TEST(Decision, IsSettledWhenMoreEqualFramesWouldChangeNothing) {
  Decision decision;
  const DecisionSettings settings{.threshold = 0.5, .threshold_off = 0.3};
  decision.decide(std::vector{0.6, 0.4}, {}, settings);
  EXPECT_TRUE(decision.is_settled(std::vector{0.6, 0.4}, {}, settings));
  EXPECT_TRUE(decision.is_settled(std::vector{0.3, 0.49}, {}, settings));
  EXPECT_FALSE(decision.is_settled(std::vector{0.6, 0.5}, {}, settings)) << "the second label would come";
  EXPECT_FALSE(decision.is_settled(std::vector{0.29, 0.4}, {}, settings)) << "the first label would go";
  const std::vector<std::optional<double>> own{std::nullopt, 0.7};
  EXPECT_TRUE(decision.is_settled(std::vector{0.6, 0.6}, own, settings));
}

TEST(Decision, IsNotSettledWhileALabelWaitsForItsMinimumDuration) {
  Decision decision;
  const DecisionSettings settings{.threshold = 0.5, .threshold_off = {}, .min_duration = 1};
  for (const auto& [time, settled] : {std::pair(0.0, false), {0.5, false}, {1.0, true}, {1.5, true}}) {
    decision.decide(std::vector{0.6}, {}, settings, time);
    EXPECT_EQ(decision.is_settled(std::vector{0.6}, {}, settings), settled) << time;
  }
}

TEST(Decision, ShowsTheMostProbableLabels) {
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

TEST(Decision, RequiresTheThresholdAgainAfterACut) {
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
  EXPECT_EQ(at(0.9, 2.0), Shown{0}) << "it reached the threshold again";
  EXPECT_EQ(at(0.9, std::nullopt), Shown{1}) << "no time, no wait";
}

const std::vector<double> kHalf{0.5, 0.5};

std::string letter(std::size_t k) {
  return std::string(1, static_cast<char>('a' + k));
}

TEST(EventTracker, ReportsLabelsThatAppearAndDisappear) {
  EventTracker tracker;
  auto events = tracker.update(Shown{1, 0}, kHalf, letter, 1.0);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].label, "a");
  EXPECT_TRUE(events[0].on);
  EXPECT_EQ(events[0].start, 1.0);
  EXPECT_FALSE(events[0].end);
  EXPECT_FALSE(events[0].duration);
  EXPECT_TRUE(tracker.update(Shown{1, 0}, kHalf, letter, 2.0).empty());
  events = tracker.update(Shown{0, 1}, kHalf, letter, 3.5);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].label, "b");
  EXPECT_FALSE(events[1].on);
  EXPECT_EQ(events[1].start, 1.0);
  EXPECT_EQ(events[1].end, 3.5);
  EXPECT_EQ(events[1].duration, 2.5);
}

TEST(EventTracker, ReportsThePeakAndTheMeanOfTheResultsThatShowedALabel) {
  EventTracker tracker;
  const auto first = tracker.update(Shown{1}, std::vector{0.5}, letter, 0.0);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].probability, 0.5);
  EXPECT_EQ(first[0].peak, 0.5);
  EXPECT_EQ(first[0].mean, 0.5);
  tracker.update(Shown{1}, std::vector{1.0}, letter, 1.0);
  tracker.update(Shown{1}, std::vector{0.75}, letter, 2.0);
  const auto gone = tracker.update(Shown{0}, std::vector{0.0}, letter, 3.0);
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_EQ(gone[0].probability, 0.75) << "the last that showed it";
  EXPECT_EQ(gone[0].peak, 1.0);
  EXPECT_EQ(gone[0].mean, 0.75);
  const auto again = tracker.update(Shown{1}, std::vector{0.25}, letter, 4.0);
  EXPECT_EQ(again[0].peak, 0.25) << "another showing begins";
}

TEST(EventTracker, FollowsALabelThatIsListedTwiceOnce) {
  EventTracker tracker;
  const auto same = [](std::size_t) { return std::string("a"); };
  EXPECT_EQ(tracker.update(Shown{1, 1}, kHalf, same, 0.0).size(), 1u);
  EXPECT_TRUE(tracker.update(Shown{1, 1}, kHalf, same, 1.0).empty());
  EXPECT_EQ(tracker.finish(2.0).size(), 1u);
}

TEST(EventTracker, HasNoDurationWhenTimeJumpsBack) {
  EventTracker tracker;
  tracker.update(Shown{1}, std::vector{0.5}, letter, 5.0);
  const auto gone = tracker.finish(1.0);
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_EQ(gone[0].start, 5.0);
  EXPECT_FALSE(gone[0].duration);
}

TEST(EventTracker, EndsALabelThatIsNoLongerInTheListAndAllAtTheEnd) {
  EventTracker tracker;
  tracker.update(Shown{1, 1}, kHalf, letter, 0.0);
  const auto events = tracker.update(Shown{1}, std::vector{0.5}, letter, 1.0);
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
