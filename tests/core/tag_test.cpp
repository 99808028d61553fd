// SPDX-License-Identifier: LGPL-2.1-or-later

#include <gtest/gtest.h>

#include <cmath>

#include "tag_support.hpp"

namespace bcp::tag {
namespace {

using test::kMostlyA;
using test::kMostlyB;
using test::kPaper;
using test::labels;

TEST(StreamTagger, CorrectsOnlyFromWhatCameBefore) {
  StreamTagger tagger(labels({"a", "b", "c"}), 10);
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

TEST(StreamTagger, GoesOnLearningWhileCorrectionIsSwitchedOff) {
  StreamTagger tagger(labels({"a", "b", "c"}), 10);
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
  StreamTagger tagger(labels({"a", "b", "c"}), 10);
  Outcome outcome;
  const TagSettings video;
  ASSERT_TRUE(tagger.tag(kMostlyA, 0.0, video, outcome));
  ASSERT_TRUE(tagger.tag(kMostlyB, 0.1, video, outcome));
  ASSERT_TRUE(tagger.tag(kMostlyB, 0.2, video, outcome));
  EXPECT_FALSE(outcome.learnt);
  EXPECT_NE(outcome.scores.corrected, outcome.scores.zero_shot);
  EXPECT_NEAR(tagger.samples(), 2, 0.01);  // a little is forgotten
}

TEST(StreamTagger, KeepsWhatItLearntOfLabelsThatStay) {
  StreamTagger tagger(labels({"a", "b", "c"}), 10), same(labels({"a", "b", "c"}), 10);
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

TEST(StreamTagger, StartsAfreshWhenToldToForget) {
  StreamTagger tagger(labels({"a", "b"}), 10);
  Outcome outcome;
  ASSERT_TRUE(tagger.tag(kMostlyA, {}, kPaper, outcome));
  tagger.forget();
  EXPECT_EQ(tagger.samples(), 0);
  ASSERT_TRUE(tagger.tag(kMostlyA, {}, kPaper, outcome));
  EXPECT_TRUE(outcome.learnt);
  EXPECT_EQ(outcome.scores.corrected, outcome.scores.zero_shot);
}

TEST(StreamTagger, KeepsWhatItLearntWhenAnotherStreamBegins) {
  StreamTagger tagger(labels({"a", "b"}), 10);
  TagSettings settings = kPaper;
  settings.adapter.novelty.distance = 0.1;
  Outcome outcome;
  ASSERT_TRUE(tagger.tag(kMostlyA, {}, settings, outcome));
  tagger.restart();
  ASSERT_TRUE(tagger.tag(kMostlyA, {}, settings, outcome));
  EXPECT_TRUE(outcome.learnt);             // its first frame is new
  EXPECT_NEAR(tagger.samples(), 2, 0.01);  // a little is forgotten
}

TEST(StreamTagger, GoesOnFromWhatItKeptWithWarmUpOver) {
  TagSettings settings = kPaper;
  settings.adapter.bcp.warm_up = true;
  StreamTagger tagger(labels({"a", "b", "c"}), 10), next(labels({"c", "a", "b"}), 10);
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
  StreamTagger tagger(labels({"a", "b"}), 10);
  Outcome outcome;
  EXPECT_FALSE(tagger.tag(std::vector<float>{NAN, 0, 0, 0}, {}, kPaper, outcome));
  EXPECT_EQ(tagger.samples(), 0);
}

TEST(StreamTagger, CorrectsARegionAsTheFramesHaveTaughtAndLearnsNothingFromIt) {
  StreamTagger tagger(labels({"a", "b", "c"}), 10), same(labels({"a", "b", "c"}), 10);
  Outcome region, frame;
  for (const auto* each : {&kMostlyA, &kMostlyB, &kMostlyA}) {
    ASSERT_TRUE(tagger.tag(*each, {}, kPaper, frame));
    ASSERT_TRUE(same.tag(*each, {}, kPaper, frame));
  }
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(tagger.tag_region(kMostlyB, kPaper, region));
  EXPECT_FALSE(region.learnt);
  EXPECT_EQ(tagger.samples(), 3);
  ASSERT_TRUE(same.tag(kMostlyB, {}, kPaper, frame));  // what a frame with the region's picture would get
  EXPECT_NE(region.scores.correction, std::vector<double>(3, 0.0));
  EXPECT_EQ(region.scores.corrected, frame.scores.corrected);
  EXPECT_EQ(region.scores.samples, frame.scores.samples);
  ASSERT_TRUE(tagger.tag(kMostlyB, {}, kPaper, region));  // and the frame after it learns as if there had been none
  EXPECT_EQ(region.scores.corrected, frame.scores.corrected);
}

TEST(StreamTagger, RemembersNothingOfWhatARegionShows) {
  StreamTagger tagger(labels({"a", "b"}), 1);
  TagSettings settings = kPaper;
  settings.correction = adapt::Correction::kNone;
  settings.decision = {.threshold = 0.6, .threshold_off = 0.3, .top_k = 0};
  Outcome sure, unsure;
  const std::vector<float> is_a{0.9f, 0.1f, 0, 0}, may_be_a{0.6f, 0.4f, 0, 0};
  ASSERT_TRUE(tagger.tag_region(is_a, settings, sure));
  EXPECT_EQ(sure.shown[0], 1);
  ASSERT_TRUE(tagger.tag_region(may_be_a, settings, unsure));
  EXPECT_EQ(unsure.shown[0], 0);
  // Nor does the frame remember it, while a region does not disturb what the frame remembers.
  ASSERT_TRUE(tagger.tag(may_be_a, {}, settings, unsure));
  EXPECT_EQ(unsure.shown[0], 0);
  ASSERT_TRUE(tagger.tag(is_a, {}, settings, sure));
  ASSERT_TRUE(tagger.tag_region(may_be_a, settings, unsure));
  EXPECT_EQ(sure.shown[0], 1);  // still what the frame showed
  ASSERT_TRUE(tagger.tag(may_be_a, {}, settings, unsure));
  EXPECT_EQ(unsure.shown[0], 1);
}

TEST(StreamTagger, FailsForARegionThatIsNotFinite) {
  StreamTagger tagger(labels({"a", "b"}), 10);
  Outcome outcome;
  EXPECT_FALSE(tagger.tag_region(std::vector<float>{NAN, 0, 0, 0}, kPaper, outcome));
}

TEST(StreamTagger, UsesTheLabelsOwnThresholds) {
  auto set = labels({"a", "b"});
  set.labels[1].threshold = 0.001;
  StreamTagger tagger(set, 10);
  Outcome outcome;
  ASSERT_TRUE(tagger.tag(kMostlyA, {}, kPaper, outcome));
  EXPECT_EQ(outcome.shown[0], 1);
  EXPECT_EQ(outcome.shown[1], 1);
}

}  // namespace
}  // namespace bcp::tag
