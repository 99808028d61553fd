// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Presence against arrays of an independent implementation (tests/data/presence), and its properties for any scores.

#include "decide/presence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include "common/npy.hpp"
#include "decide/decision.hpp"

namespace bcp::decide {
namespace {

const std::string kData = BCP_TEST_DATA "/presence/";
constexpr double kFrame = 1.0 / 30, kSpan = 1;

std::shared_ptr<const PriorTable> table() {
  static const auto loaded = [] {
    auto result = PriorTable::load(kData + "table.json");
    EXPECT_TRUE(result) << result.error().message;
    return std::make_shared<const PriorTable>(*std::move(result));
  }();
  return loaded;
}

std::vector<std::string> lines(const std::string& name) {
  std::ifstream file(kData + name);
  std::vector<std::string> all;
  for (std::string line; std::getline(file, line);) all.push_back(line);
  EXPECT_FALSE(all.empty()) << name;
  return all;
}

std::vector<PriorLabel> plain(const std::vector<std::string>& names) {
  std::vector<PriorLabel> labels;
  for (const auto& name : names) labels.push_back({.name = name});
  return labels;
}

// The rows of an array.
std::vector<std::vector<double>> rows(const std::string& name) {
  const test::Npy array = test::load_npy(kData + name);
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < array.shape.at(0); ++i) all.push_back(array.row(i));
  return all;
}

// A stream of the reference with its results.
struct Reference {
  explicit Reference(const std::string& name)
      : scores(rows(name + "_scores.npy")),
        q(rows(name + "_q.npy")),
        smoothed(rows(name + "_smoothed.npy")),
        shown(rows(name + "_shown.npy")) {}

  std::vector<std::vector<double>> scores, q, smoothed, shown;
};

void expect_near(std::span<const double> got, const std::vector<double>& expected, std::size_t frame) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < got.size(); ++k)
    EXPECT_NEAR(got[k], expected[k], 1e-9) << "frame " << frame << " label " << k;
}

void expect_shown(std::span<const std::uint8_t> got, const std::vector<double>& expected, std::size_t frame) {
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_EQ(got[k], expected[k]) << "frame " << frame << " label " << k;
}

TEST(PresenceReference, IsEqualWithClicksAndLabelledFrames) {
  const Reference reference("taught");
  const auto clicks = rows("taught_clicks.npy"), labelled = rows("taught_labelled.npy");
  Presence presence({plain(lines("taught_labels.txt")), lines("taught_context.txt")}, table(), {});
  Taught taught;
  ShotMean shot;
  Decision decision;
  PresenceFrame frame;
  for (std::size_t t = 0; t < reference.scores.size(); ++t) {
    ASSERT_TRUE(presence.score(reference.scores[t], frame));
    presence.smooth(shot, static_cast<double>(t) * kFrame, kSpan, frame);
    expect_near(frame.probability, reference.q[t], t);
    expect_near(frame.smoothed, reference.smoothed[t], t);
    if (frame.cut) decision.reset();
    expect_shown(decision.decide(frame.smoothed, {}, {.threshold = 0.5, .threshold_off = 0.4}), reference.shown[t], t);
    for (const auto& click : clicks)
      if (click[0] == static_cast<double>(t))
        presence.teach(taught, frame, static_cast<std::size_t>(click[1]), click[2] != 0, click[3] != 0);
    std::vector<std::optional<bool>> said;
    for (const double y : labelled[t]) said.push_back(std::isnan(y) ? std::nullopt : std::optional(y != 0));
    if (std::any_of(said.begin(), said.end(), [](auto y) { return y.has_value(); }))
      presence.teach(taught, frame, said);
    presence.set_taught(taught);
  }
  EXPECT_GT(taught.statements(), 0u);
}

TEST(PresenceReference, IsEqualWithHintsAnAliasStrengthAndScale) {
  const Reference reference("hinted");
  const std::vector<PriorLabel> labels = {
      {.name = "word 3", .often = 0.5}, {.name = "unknown c", .often = 0.02}, {.name = "kitten", .alias = "word 7"}};
  Presence presence({labels, lines("hinted_context.txt")}, table(), {.strength = 0.5, .scale = 0.5});
  ShotMean shot;
  PresenceFrame frame;
  for (std::size_t t = 0; t < reference.scores.size(); ++t) {
    ASSERT_TRUE(presence.score(reference.scores[t], frame));
    presence.smooth(shot, std::nullopt, kSpan, frame);
    expect_near(frame.probability, reference.q[t], t);
    expect_near(frame.smoothed, reference.smoothed[t], t);
  }
}

// A stream of three labels among the table's other words and twenty more.
class PresenceRule : public testing::Test {
 protected:
  static std::vector<std::string> background() {
    std::vector<std::string> all = table()->words();
    for (int i = 0; i < 20; ++i) all.push_back("background " + std::to_string(i));
    return all;
  }
  std::vector<PriorLabel> labels_ = plain({"word 0", "word 1", "unknown"});
  Presence presence_{{labels_, context_for(labels_, background())}, table(), {}};
  PresenceFrame frame_;

  std::vector<double> quiet() const { return std::vector<double>(presence_.anchors(), 20); }
};

TEST_F(PresenceRule, ShowsNoLabelWhenAContextWordExplainsThePicture) {
  auto scores = quiet();
  scores.back() = 30;
  ASSERT_TRUE(presence_.score(scores, frame_));
  for (const double q : frame_.probability) EXPECT_LT(q, 0.1);
}

TEST_F(PresenceRule, ShowsTwoLabelsWhenBothStandOut) {
  auto scores = quiet();
  scores[0] = scores[2] = 30;
  ASSERT_TRUE(presence_.score(scores, frame_));
  EXPECT_GT(frame_.probability[0], 0.5);
  EXPECT_GT(frame_.probability[2], 0.5);
  EXPECT_LT(frame_.probability[1], 0.5);
}

TEST_F(PresenceRule, ScoresThatAreNotFiniteAreAnError) {
  auto scores = quiet();
  ASSERT_TRUE(presence_.score(scores, frame_));
  const auto before = frame_.probability;
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    scores[1] = bad;
    EXPECT_FALSE(presence_.score(scores, frame_));
  }
  ASSERT_TRUE(presence_.score(quiet(), frame_));
  EXPECT_EQ(frame_.probability, before);
  EXPECT_FALSE(presence_.score(std::vector<double>(3), frame_));
}

TEST_F(PresenceRule, TeachingChangesTheLabelFromTheNextFrameOnAndHardlyTheOthers) {
  auto scores = quiet();
  ASSERT_TRUE(presence_.score(scores, frame_));
  const auto before = frame_.probability;
  Taught taught;
  presence_.teach(taught, frame_, 2, true, false);
  presence_.set_taught(taught);
  ASSERT_TRUE(presence_.score(scores, frame_));
  EXPECT_GT(frame_.probability[2], before[2] + 0.05);
  EXPECT_NEAR(frame_.probability[0], before[0], 0.01);
}

TEST_F(PresenceRule, AContextWordThatIsALabelCompetesOnce) {
  const auto context = context_for(plain({"word 0", "cat"}), std::vector<std::string>{"word 0", "word 1"});
  EXPECT_EQ(context, std::vector<std::string>{"word 1"});
  const std::vector<PriorLabel> alias = {{.name = "kitten", .alias = "word 1"}};
  EXPECT_EQ(context_for(alias, std::vector<std::string>{"word 0", "word 1"}), std::vector<std::string>{"word 0"});
}

TEST_F(PresenceRule, FewAnchorsAreNotCalibrated) {
  EXPECT_TRUE(presence_.is_calibrated());
  EXPECT_FALSE(Presence({labels_, {}}, table(), {}).is_calibrated());
}

TEST_F(PresenceRule, TheMixedPriorIsTheSumOverItsEntries) {
  const auto context = context_for(labels_, background());
  ConditionalPrior prior(labels_, context, table(), 0.7);
  std::mt19937 random(5);
  std::vector<double> p(prior.anchors()), mixed(3);
  const auto draw = [&] {
    double sum = 0;
    for (double& share : p) sum += share = std::uniform_real_distribution<>(0, 1)(random);
    for (double& share : p) share /= sum;
  };
  std::vector<std::string> names;
  for (const auto& label : labels_) names.push_back(label.name);
  names.insert(names.end(), context.begin(), context.end());
  Taught taught;
  for (int frames = 0; frames < 4; ++frames) {
    draw();
    prior.mix(p, mixed);
    for (std::size_t k = 0; k < 3; ++k) {
      double sum = 0;
      for (std::size_t a = 0; a < p.size(); ++a) sum += prior.at(k, a) * p[a];
      EXPECT_NEAR(mixed[k], sum, 1e-12);
    }
    std::vector<Taught::Anchor> anchors;
    for (std::size_t a = 0; a < p.size(); ++a) anchors.push_back({names[a], p[a]});
    taught.say_all(
        std::vector<Taught::Subject>{{names[0], 1, 0, true}, {names[1], 1, 0, false}, {names[2], 1, 0, true}}, anchors);
    prior.set_taught(taught, names);
  }
}

TEST(ShotMean, AveragesOverSecondsAtAnyFrameRate) {
  for (const double step : {0.5, 0.1, 1.0 / 30}) {
    ShotMean mean;
    const std::vector<double> scores = {0}, low = {0}, high = {1};
    double time = 0;
    EXPECT_TRUE(mean.add(scores, low, time, 1));
    for (int i = 0; i < 100; ++i) mean.add(scores, low, time += step, 1);
    // After a span with the new value, about 1 - 1/e of it is in the mean.
    for (double seen = 0; seen < 0.99; seen += step) EXPECT_FALSE(mean.add(scores, high, time += step, 1));
    EXPECT_NEAR(mean.mean()[0], step > 0.2 ? 0.75 : 0.64, 0.02) << step;
  }
}

TEST(ShotMean, RestartsAtACutALongPauseAndAJumpBack) {
  ShotMean mean;
  const std::vector<double> scores = {0, 0}, other = {2, 2}, value = {1}, next = {3};
  EXPECT_TRUE(mean.add(scores, value, 0, 1));
  EXPECT_FALSE(mean.add(scores, next, 0.1, 1));
  EXPECT_EQ(mean.mean()[0], 2);
  EXPECT_TRUE(mean.add(other, next, 0.2, 1)) << "a cut";
  EXPECT_EQ(mean.mean()[0], 3);
  EXPECT_TRUE(mean.add(other, value, 60, 1)) << "a pause";
  EXPECT_TRUE(mean.add(other, value, 3, 1)) << "a seek";
}

TEST(ShotMean, ContinuesOverAPauseWithAStillPicture) {
  ShotMean mean;
  mean.add(std::vector{1.0}, std::vector{1.0}, 0.0, 1);
  mean.hold(9.9);
  EXPECT_FALSE(mean.add(std::vector{1.0}, std::vector{1.0}, 10.0, 1));
  EXPECT_TRUE(mean.add(std::vector{1.0}, std::vector{1.0}, 20.0, 1));
}

TEST(ShotMean, FollowsAMovingCameraWithoutACut) {
  ShotMean still, moving;
  double place = 0;
  const auto at = [](double where) { return std::vector<double>{where, -where}; };
  for (int i = 0; i <= 30; ++i) {
    const double time = i * 0.1;
    still.add(at(0), at(place), time, 1);
    EXPECT_EQ(moving.add(at(place), at(place), time, 1), i == 0) << i;
    place += 1;
  }
  EXPECT_LT(still.mean()[0], 24) << "the mean of a second is half a second behind";
  EXPECT_GT(moving.mean()[0], 26) << "where the scores have moved on, the mean comes after them";
}

TEST(ShotMean, IsTheLastFrameAloneWithoutASpan) {
  ShotMean mean;
  const std::vector<double> scores = {0, 0}, other = {2, 2}, value = {1}, next = {3};
  EXPECT_TRUE(mean.add(scores, value, 0, 0));
  EXPECT_FALSE(mean.add(scores, next, 0.1, 0));
  EXPECT_EQ(mean.mean()[0], 3);
  EXPECT_TRUE(mean.add(other, value, 0.2, 0)) << "a cut";
}

// A panning camera moves away from the mean of its shot, step by step.
TEST(ShotMean, ContinuesWhileTheSceneMovesAndEndsAtAJump) {
  for (const double step : {1.0, 0.1}) {  // change of a score from frame to frame
    ShotMean mean;
    const std::vector<double> value = {1};
    double time = 0, score = 0;
    EXPECT_TRUE(mean.add(std::vector{score}, value, time, 1));
    for (int i = 0; i < 60; ++i)
      EXPECT_FALSE(mean.add(std::vector{score += step}, value, time += 1.0 / 30, 1)) << "frame " << i << " of " << step;
    // More than 3 and, if the scene moves by 1, less than 5 times that.
    EXPECT_EQ(mean.add(std::vector{score += 2}, value, time += 1.0 / 30, 1), step < 1);
    EXPECT_TRUE(mean.add(std::vector{score += 4}, value, time += 1.0 / 30, 1)) << "a cut";
  }
}

PriorTable::Counts counts() {
  return {.source = "", .pictures = 10, .labels = {"a", "b"}, .count = {4, 2}, .together = {{4, 1}, {1, 2}}};
}

TEST(PriorTable, GivesBaseRatesAndShrunkConditionalOnes) {
  const auto made = PriorTable::make(counts());
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->base_rate(0), 0.4);
  EXPECT_DOUBLE_EQ(made->conditional()(0, 1), (1 + 50 * 0.4) / (2 + 50));
  EXPECT_EQ(made->find("b"), 1u);
  EXPECT_EQ(made->find("c"), std::nullopt);
}

TEST(PriorTable, RefusesInconsistentCounts) {
  const auto refused = [](auto change) {
    PriorTable::Counts wrong = counts();
    change(wrong);
    const auto made = PriorTable::make(std::move(wrong));
    return made ? std::string("accepted") : made.error().message;
  };
  EXPECT_EQ(refused([](auto& c) { c.count[1] = -2; }), "the count of \"b\" must be from 0 to \"pictures\"");
  EXPECT_EQ(refused([](auto& c) { c.labels[1] = "a"; }), "\"a\" is in \"labels\" twice");
  EXPECT_EQ(refused([](auto& c) { c.together[0][1] = 3; }),
            "\"a\" together with \"b\" must be from 0 to the count of the rarer of the two");
  EXPECT_EQ(refused([](auto& c) { c.together[1][0] = 0; }),
            "\"b\" together with \"a\" has another count in the opposite order");
  EXPECT_EQ(refused([](auto& c) { c.together.pop_back(); }), "\"together\" has 1 rows for 2 labels");
  EXPECT_EQ(refused([](auto& c) { c.pictures = std::nan(""); }), "\"pictures\" must be a number above 0");
  EXPECT_EQ(refused([](auto& c) { c.labels.clear(); }), "\"labels\" must list 1 to 5000 words, not 0");
}

}  // namespace
}  // namespace bcp::decide
