// SPDX-License-Identifier: LGPL-2.1-or-later

#include <gtest/gtest.h>

#include <cmath>

#include "tag/recent.hpp"
#include "tag_support.hpp"

namespace bcp::tag {
namespace {

using test::kMostlyA;
using test::kMostlyB;
using test::kPaper;
using test::labels;

TEST(StreamTagger, LooksAtAPictureLikeAFirstFrameWithoutLearning) {
  TagSettings settings;
  settings.smoothing = 0;
  const std::vector<std::string> names{"a", "b", "c", "d"};
  StreamTagger still(labels(names), test::kTen), stream(labels(names), test::kTen);
  Outcome seen, tagged;
  ASSERT_TRUE(still.look(kMostlyB, settings, seen));
  ASSERT_TRUE(still.look(kMostlyA, settings, seen));
  ASSERT_TRUE(stream.tag(kMostlyA, {}, settings, tagged));
  EXPECT_TRUE(std::equal(seen.probability.begin(), seen.probability.end(), tagged.probability.begin()));
  EXPECT_EQ(seen.scores.zero_shot_probability, tagged.scores.zero_shot_probability);
  EXPECT_FALSE(seen.learnt);
  EXPECT_EQ(still.samples(), 0);
  EXPECT_EQ(stream.samples(), 1);
}

TEST(StreamTagger, CorrectsOnlyFromEarlierFrames) {
  StreamTagger tagger(labels({"a", "b", "c"}), test::kTen);
  Outcome outcome;
  ASSERT_TRUE(tagger.tag(kMostlyA, 0.0, kPaper, outcome));
  EXPECT_EQ(outcome.scores.corrected, outcome.scores.zero_shot);
  EXPECT_EQ(outcome.scores.samples, 0);
  EXPECT_TRUE(outcome.learnt);
  ASSERT_TRUE(tagger.tag(kMostlyB, 0.1, kPaper, outcome));
  ASSERT_TRUE(tagger.tag(kMostlyA, 0.2, kPaper, outcome));
  EXPECT_NE(outcome.scores.corrected, outcome.scores.zero_shot);
  EXPECT_EQ(outcome.scores.samples, 2);
}

TEST(StreamTagger, LearnsWhileCorrectionIsOff) {
  StreamTagger tagger(labels({"a", "b", "c"}), test::kTen);
  TagSettings settings = kPaper;
  settings.correction = adapt::Correction::kNone;
  Outcome outcome;
  for (const auto* frame : {&kMostlyA, &kMostlyB, &kMostlyA}) {
    ASSERT_TRUE(tagger.tag(*frame, {}, settings, outcome));
    EXPECT_EQ(outcome.scores.corrected, outcome.scores.zero_shot);
  }
  ASSERT_TRUE(tagger.tag(kMostlyA, {}, kPaper, outcome));
  EXPECT_NE(outcome.scores.corrected, outcome.scores.zero_shot);
}

TEST(StreamTagger, CorrectsEveryFrameButLearnsOnlyNewOnes) {
  StreamTagger tagger(labels({"a", "b", "c"}), test::kTen);
  Outcome outcome;
  const TagSettings video;
  ASSERT_TRUE(tagger.tag(kMostlyA, 0.0, video, outcome));
  ASSERT_TRUE(tagger.tag(kMostlyB, 0.1, video, outcome));
  ASSERT_TRUE(tagger.tag(kMostlyB, 0.2, video, outcome));
  EXPECT_FALSE(outcome.learnt);
  EXPECT_NE(outcome.scores.corrected, outcome.scores.zero_shot);
  EXPECT_NEAR(tagger.samples(), 2, 0.01);  // a little is forgotten
}

TEST(StreamTagger, KeepsTheStatisticsOfLabelsThatStay) {
  StreamTagger tagger(labels({"a", "b", "c"}), test::kTen), same(labels({"a", "b", "c"}), test::kTen);
  Outcome before, after;
  for (int i = 0; i < 5; ++i) {
    for (const auto* frame : {&kMostlyA, &kMostlyB}) {
      ASSERT_TRUE(tagger.tag(*frame, {}, kPaper, before));
      ASSERT_TRUE(same.tag(*frame, {}, kPaper, before));
    }
  }
  tagger.relabel(labels({"d", "b", "a"}));
  ASSERT_TRUE(same.tag(kMostlyA, {}, kPaper, before));
  ASSERT_TRUE(tagger.tag(kMostlyA, {}, kPaper, after));
  EXPECT_NEAR(after.scores.correction[1], before.scores.correction[1], 1e-12);  // b given a
  EXPECT_EQ(after.scores.correction[0], 0);                                     // d is new
  EXPECT_EQ(after.scores.samples, 10);
}

TEST(StreamTagger, StartsAgainAfterForget) {
  StreamTagger tagger(labels({"a", "b"}), test::kTen);
  Outcome outcome;
  ASSERT_TRUE(tagger.tag(kMostlyA, {}, kPaper, outcome));
  tagger.forget();
  EXPECT_EQ(tagger.samples(), 0);
  ASSERT_TRUE(tagger.tag(kMostlyA, {}, kPaper, outcome));
  EXPECT_TRUE(outcome.learnt);
  EXPECT_EQ(outcome.scores.corrected, outcome.scores.zero_shot);
}

TEST(StreamTagger, KeepsItsStatisticsWhenAnotherStreamBegins) {
  StreamTagger tagger(labels({"a", "b"}), test::kTen);
  TagSettings settings = kPaper;
  settings.adapter.novelty.distance = 0.1;
  Outcome outcome;
  ASSERT_TRUE(tagger.tag(kMostlyA, {}, settings, outcome));
  tagger.restart();
  ASSERT_TRUE(tagger.tag(kMostlyA, {}, settings, outcome));
  EXPECT_TRUE(outcome.learnt);             // its first frame is new
  EXPECT_NEAR(tagger.samples(), 2, 0.01);  // a little is forgotten
}

TEST(StreamTagger, ContinuesFromASnapshotWithWarmUpOver) {
  TagSettings settings = kPaper;
  settings.adapter.bcp.warm_up = true;
  StreamTagger tagger(labels({"a", "b", "c"}), test::kTen), next(labels({"c", "a", "b"}), test::kTen);
  Outcome before, after;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(tagger.tag(kMostlyB, {}, settings, before));
  ASSERT_TRUE(tagger.tag(kMostlyA, {}, settings, before));
  const auto kept = prior::decode_snapshot(prior::encode_snapshot(tagger.learnt()->snapshot()));
  ASSERT_TRUE(kept);
  ASSERT_TRUE(kept->settled);
  EXPECT_EQ(next.learnt()->add(*kept), 3u);
  ASSERT_TRUE(tagger.tag(kMostlyA, {}, settings, before));
  ASSERT_TRUE(next.tag(kMostlyA, {}, settings, after));
  EXPECT_NE(before.scores.correction[1], 0);
  EXPECT_NEAR(after.scores.correction[2], before.scores.correction[1], 1e-12);  // b given a
  EXPECT_EQ(after.scores.samples, before.scores.samples);
}

TEST(StreamTagger, LearnsNothingFromAnEmbeddingThatIsNotFinite) {
  StreamTagger tagger(labels({"a", "b"}), test::kTen);
  Outcome outcome;
  EXPECT_FALSE(tagger.tag(std::vector<float>{NAN, 0, 0, 0}, {}, kPaper, outcome));
  EXPECT_EQ(tagger.samples(), 0);
}

TEST(StreamTagger, CorrectsARegionWithoutLearningFromIt) {
  StreamTagger tagger(labels({"a", "b", "c"}), test::kTen), same(labels({"a", "b", "c"}), test::kTen);
  Outcome region, frame;
  for (const auto* each : {&kMostlyA, &kMostlyB, &kMostlyA}) {
    ASSERT_TRUE(tagger.tag(*each, {}, kPaper, frame));
    ASSERT_TRUE(same.tag(*each, {}, kPaper, frame));
  }
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(tagger.tag_region(kMostlyB, 1, {}, kPaper, region));
  EXPECT_FALSE(region.learnt);
  EXPECT_EQ(tagger.samples(), 3);
  ASSERT_TRUE(same.tag(kMostlyB, {}, kPaper, frame));  // the result of a frame with the region's picture
  EXPECT_NE(region.scores.correction, std::vector<double>(3, 0.0));
  EXPECT_EQ(region.scores.corrected, frame.scores.corrected);
  EXPECT_EQ(region.scores.samples, frame.scores.samples);
  ASSERT_TRUE(tagger.tag(kMostlyB, {}, kPaper, region));  // the next frame learns as if there had been no region
  EXPECT_EQ(region.scores.corrected, frame.scores.corrected);
}

TEST(StreamTagger, ForgetsARegionWithoutTime) {
  StreamTagger tagger(labels({"a", "b"}), Encoder{.logit_scale = 1});
  TagSettings settings = kPaper;
  settings.correction = adapt::Correction::kNone;
  settings.decision.threshold = 0.6;
  settings.decision.threshold_off = 0.3;
  Outcome sure, unsure;
  const std::vector<float> is_a{0.9f, 0.1f, 0, 0}, may_be_a{0.6f, 0.4f, 0, 0};
  ASSERT_TRUE(tagger.tag_region(is_a, 1, {}, settings, sure));
  EXPECT_EQ(sure.shown[0], 1);
  ASSERT_TRUE(tagger.tag_region(may_be_a, 1, {}, settings, unsure));
  EXPECT_EQ(unsure.shown[0], 0);
  // The frame does not remember it either, and a region does not change what the frame remembers.
  ASSERT_TRUE(tagger.tag(may_be_a, {}, settings, unsure));
  EXPECT_EQ(unsure.shown[0], 0);
  ASSERT_TRUE(tagger.tag(is_a, {}, settings, sure));
  ASSERT_TRUE(tagger.tag_region(may_be_a, 1, {}, settings, unsure));
  EXPECT_EQ(sure.shown[0], 1);  // still the label of the frame
  ASSERT_TRUE(tagger.tag(may_be_a, {}, settings, unsure));
  EXPECT_EQ(unsure.shown[0], 1);
}

TEST(StreamTagger, FailsForARegionThatIsNotFinite) {
  StreamTagger tagger(labels({"a", "b"}), test::kTen);
  Outcome outcome;
  EXPECT_FALSE(tagger.tag_region(std::vector<float>{NAN, 0, 0, 0}, 1, {}, kPaper, outcome));
}

TEST(StreamTagger, UsesTheLabelsOwnThresholds) {
  auto set = labels({"a", "b"});
  set.labels.labels[1].threshold = 0.001;
  StreamTagger tagger(set, test::kTen);
  Outcome outcome;
  ASSERT_TRUE(tagger.tag(kMostlyA, {}, kPaper, outcome));
  EXPECT_EQ(outcome.shown[0], 1);
  EXPECT_EQ(outcome.shown[1], 1);
}

TEST(StreamTagger, RemembersARegionByItsIdForFiveSeconds) {
  StreamTagger tagger(labels({"a", "b"}), Encoder{.logit_scale = 1});
  TagSettings settings = kPaper;
  settings.correction = adapt::Correction::kNone;
  settings.decision.threshold = 0.6;
  settings.decision.threshold_off = 0.3;
  const std::vector<float> is_a{0.9f, 0.1f, 0, 0}, may_be_a{0.6f, 0.4f, 0, 0};
  const auto shows = [&](const std::vector<float>& embedding, int id, double time) {
    Outcome outcome;
    EXPECT_TRUE(tagger.tag_region(embedding, id, time, settings, outcome));
    return outcome.shown[0] == 1;
  };
  EXPECT_TRUE(shows(is_a, 1, 0));
  EXPECT_TRUE(shows(may_be_a, 1, 4.9));
  EXPECT_FALSE(shows(may_be_a, 2, 4.9)) << "another region";
  EXPECT_FALSE(shows(may_be_a, 1, 10)) << "not seen for too long";
}

// Two labels among ten context words, each along its own axis.
class PresenceOfAStream : public testing::Test {
 protected:
  static constexpr const char* kAxes = "abcdefghijkl";
  PresenceOfAStream() {
    Vocabulary words = labels({"a", "b"}, kAxes);
    words.context = labels({"c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}, kAxes).labels;
    tagger_.emplace(std::move(words), Encoder{.logit_scale = 10});
  }
  // A frame that shows these axes.
  static std::vector<float> frame(const std::string& shown) {
    std::vector<float> embedding(12, 0.1f);
    for (const char axis : shown) embedding[static_cast<std::size_t>(axis - 'a')] = 0.9f;
    return embedding;
  }
  Outcome see(const std::string& shown, std::optional<double> time = {}) {
    Outcome outcome;
    EXPECT_TRUE(tagger_->tag(frame(shown), time, settings_, outcome));
    return outcome;
  }

  std::optional<StreamTagger> tagger_;
  TagSettings settings_;
};

TEST_F(PresenceOfAStream, ShowsBothOrNone) {
  const Outcome both = see("ab");
  EXPECT_EQ(both.shown[0] + both.shown[1], 2);
  EXPECT_EQ(both.context, nullptr);
  const Outcome none = see("c");
  EXPECT_EQ(none.shown[0] + none.shown[1], 0);
  ASSERT_NE(none.context, nullptr);
  EXPECT_EQ(*none.context, "c");
  EXPECT_GT(none.context_weight, 0.5);
  EXPECT_EQ(none.shown_zero_shot[0] + none.shown_zero_shot[1], 2) << "plain CLIP always names something";
}

TEST_F(PresenceOfAStream, IsUncalibratedWithFewWordsOrAnUnknownScale) {
  EXPECT_FALSE(see("a").calibrated) << "12 words";
  EXPECT_EQ(see("a").shown[0], 1);
  StreamTagger few(labels({"a", "b"}), Encoder{.logit_scale = 10});
  Outcome outcome;
  ASSERT_TRUE(few.tag(kMostlyA, {}, {}, outcome));
  EXPECT_EQ(outcome.shown[0] + outcome.shown[1], 0) << "two words cannot say that neither is there";
}

TEST_F(PresenceOfAStream, DoesNotDependOnTheStreamsStatistics) {
  const Outcome before = see("a");
  for (int i = 0; i < 20; ++i) see(i % 2 ? "ab" : "b");
  tagger_->restart();
  const Outcome after = see("a");
  EXPECT_NE(after.scores.corrected, after.scores.zero_shot);
  EXPECT_EQ(after.presence.probability, before.presence.probability);
}

TEST_F(PresenceOfAStream, NeedsNoRivalsWithASigmoid) {
  Vocabulary words = labels({"a", "b"}, kAxes);
  words.context = tagger_->words().context;
  Encoder encoder{.logit_scale = 10, .logit_bias = -5};
  encoder.sigmoid = decide::Presence::Sigmoid{.slope = 2, .offset = 0.5, .measured = true};
  tagger_.emplace(words, encoder);
  EXPECT_EQ(tagger_->words().anchors(), 2U) << "context words are left out";
  const Outcome both = see("ab");
  EXPECT_NEAR(both.scores.zero_shot[0], 10 * 0.9 - 5, 1e-5);
  EXPECT_NEAR(both.probability[0], 1 / (1 + std::exp(-(2 * 4 + 0.5))), 1e-6);
  EXPECT_EQ(both.shown[0] + both.shown[1], 2);
  EXPECT_TRUE(both.calibrated);
  EXPECT_TRUE(std::isnan(both.presence.prior[0]));
  EXPECT_NEAR(both.presence.evidence[0], 8.5, 1e-5);
  const Outcome none = see("c");
  EXPECT_EQ(none.shown[0] + none.shown[1], 0);
  EXPECT_EQ(none.context, nullptr);
  EXPECT_EQ(none.shown_zero_shot[0] + none.shown_zero_shot[1], 2) << "a softmax of two always names something";

  // A single label, with the statistics of the stream enabled, which need a prior.
  settings_.stream_prior = 1;
  encoder.sigmoid->measured = false;
  tagger_.emplace(labels({"a"}, kAxes), encoder);
  EXPECT_EQ(see("a").shown[0], 1);
  EXPECT_EQ(see("b").shown[0], 0);
  EXPECT_FALSE(see("a").calibrated) << "slope and offset are not measured";
}

TEST_F(PresenceOfAStream, CanBeTaughtAndCorrectedWithASigmoid) {
  Encoder encoder{.logit_scale = 10, .logit_bias = -5};
  encoder.sigmoid = decide::Presence::Sigmoid{};
  tagger_.emplace(labels({"a", "b"}, kAxes), encoder);
  const double before = see("a").presence.probability[1];
  ASSERT_TRUE(tagger_->teach(frame("a"), 1, true, true));
  const double once = see("a").presence.probability[1];
  EXPECT_GT(once, before);
  ASSERT_TRUE(tagger_->teach(frame("a"), std::vector<std::optional<bool>>{true, true}));
  EXPECT_GT(see("a").presence.probability[1], once);
  tagger_->forget();
  EXPECT_DOUBLE_EQ(see("a").presence.probability[1], before);

  for (int i = 0; i < 20; ++i) see(i % 2 ? "ab" : "b");
  const Outcome after = see("a");
  EXPECT_NE(after.scores.corrected, after.scores.zero_shot);
  EXPECT_DOUBLE_EQ(after.presence.probability[1], before);
}

TEST_F(PresenceOfAStream, IsAveragedWithinAShotAndRestartsAtACut) {
  std::vector<float> weak = frame("a");
  weak[1] = 0.3f;
  Outcome first, second;
  ASSERT_TRUE(tagger_->tag(frame("a"), 0.0, settings_, first));
  const double before = first.probability[1];
  ASSERT_TRUE(tagger_->tag(weak, 0.1, settings_, second));
  EXPECT_FALSE(second.presence.cut);
  EXPECT_GT(second.presence.probability[1], before);
  EXPECT_LT(second.probability[1], second.presence.probability[1]) << "half way from the first frame";
  EXPECT_TRUE(see("c", 0.2).presence.cut);
}

TEST_F(PresenceOfAStream, SettlesWhenTheMeanOfTheShotIsStable) {
  std::vector<float> weak = frame("a");
  weak[1] = 0.66f;
  EXPECT_TRUE(see("a", 0.0).settled) << "a shot that begins has no past";
  Outcome outcome;
  ASSERT_TRUE(tagger_->tag(weak, 0.1, settings_, outcome));
  ASSERT_FALSE(outcome.presence.cut);
  EXPECT_FALSE(outcome.settled);
  int frames = 0;
  for (; frames < 100 && !outcome.settled; ++frames)
    ASSERT_TRUE(tagger_->tag(weak, 0.2 + 0.1 * frames, settings_, outcome));
  EXPECT_GT(frames, 3);
  EXPECT_LT(frames, 100);
  EXPECT_NEAR(outcome.presence.probability[1], outcome.presence.smoothed[1], 0.05);
}

TEST_F(PresenceOfAStream, KeepsItsLabelsWhileThePictureIsStill) {
  std::vector<float> weak = frame("a");
  weak[0] = 0.28f;
  std::vector<float> between = frame("a");
  between[0] = 0.6f;
  const auto shows_a = [&](double time, bool held) {
    Outcome outcome;
    for (const auto& embedding : {frame("a"), between}) EXPECT_TRUE(tagger_->tag(embedding, time, settings_, outcome));
    for (int i = 1; i <= 30; ++i) EXPECT_TRUE(tagger_->tag(weak, time + 0.1 * i, settings_, outcome));
    EXPECT_EQ(outcome.shown[0], 1) << "below its threshold, and not below the lower one";
    if (held) tagger_->hold(time + 13);
    EXPECT_TRUE(tagger_->tag(weak, time + 13.1, settings_, outcome));
    return outcome.shown[0] == 1;
  };
  EXPECT_TRUE(shows_a(0, true));
  EXPECT_FALSE(shows_a(100, false)) << "a pause: the frames before it say nothing";
}

TEST_F(PresenceOfAStream, FollowsCorrectionsFromTheNextFrameOnForTheWholeGroup) {
  auto group = prior::PriorGroup::join("taught", "model");
  ASSERT_TRUE(group);
  tagger_->join(*group);
  StreamTagger other(labels({"b", "a"}, kAxes), Encoder{.logit_scale = 10});
  other.join(*group);
  Outcome theirs;
  ASSERT_TRUE(other.tag(frame("a"), {}, settings_, theirs));
  const double before = see("a").presence.probability[1], their_before = theirs.presence.probability[0];
  ASSERT_TRUE(tagger_->teach(frame("a"), 1, true, true));
  EXPECT_GT(see("a").presence.probability[1], before);
  ASSERT_TRUE(other.tag(frame("a"), {}, settings_, theirs));
  EXPECT_GT(theirs.presence.probability[0], their_before) << "b is their first label";
  tagger_->forget();
  EXPECT_DOUBLE_EQ(see("a").presence.probability[1], before);
}

TEST_F(PresenceOfAStream, FollowsThePriorStrengthWhileItRuns) {
  const Vocabulary words =
      make_vocabulary(labels({"a", "b"}, kAxes).labels, tagger_->words().context, decide::PriorTable::everyday(), {});
  Vocabulary known = words;
  known.words[0].alias = "person";
  tagger_->relabel(known);
  const double full = see("c").presence.prior[0];
  settings_.prior_strength = 0;
  EXPECT_NEAR(see("c").presence.prior[0], 0.1, 0.05);
  EXPECT_GT(full, 0.3);
}

TEST(Vocabulary, LeavesOutContextWordsThatAreLabels) {
  clip::LabelSet own = labels({"a", "b", "c"}).labels, context = labels({"a", "b", "c", "d"}).labels;
  own.labels[0].name = "Person";
  own.labels[1].synonyms = {"Car"};
  own.labels[2].name = "kitten";
  context.labels[0].name = "person";
  context.labels[1].name = "car";
  context.labels[2].name = "cat";
  const Vocabulary made = make_vocabulary(own, context, decide::PriorTable::everyday(), 0.94);
  EXPECT_EQ(made.words[0].alias, "person");
  EXPECT_EQ(made.words[1].alias, "car");
  EXPECT_EQ(made.words[2].alias, "cat") << "their embeddings are the same";
  EXPECT_EQ(names_of(made.context), std::vector<std::string>{"d"});
  EXPECT_EQ(made.context.embeddings.rows(), 1);
  const Vocabulary by_letters = make_vocabulary(own, context, decide::PriorTable::everyday(), {});
  EXPECT_EQ(names_of(by_letters.context), (std::vector<std::string>{"cat", "d"}));
  EXPECT_TRUE(by_letters.words[2].alias.empty());
}

TEST(Recent, FindsTheNewestSixHundred) {
  Recent recent;
  EXPECT_EQ(recent.newest(), nullptr);
  for (std::uint64_t i = 0; i < Recent::kMost + 5; ++i) recent.add().pts = i;
  EXPECT_EQ(recent.newest()->pts, Recent::kMost + 4);
  EXPECT_EQ(recent.find(4), nullptr);
  ASSERT_NE(recent.find(5), nullptr);
  EXPECT_EQ(recent.find(5)->pts, 5u);
  EXPECT_EQ(recent.size(), Recent::kMost);
}

}  // namespace
}  // namespace bcp::tag
