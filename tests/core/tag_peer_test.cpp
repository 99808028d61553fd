// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Streams that are corrected by a peer: when it begins, when it learns, when it goes.

#include <gtest/gtest.h>

#include <cmath>

#include "adapt/peer.hpp"
#include "tag_support.hpp"

namespace bcp::tag {
namespace {

using adapt::Correction;
using test::kMostlyA;
using test::kMostlyB;
using test::kPaper;
using test::labels;

TagSettings with(Correction correction) {
  TagSettings settings = kPaper;
  settings.correction = correction;
  return settings;
}

adapt::Scores tag(StreamTagger& tagger, const std::vector<float>& embedding, const TagSettings& settings) {
  Outcome outcome;
  const Status tagged = tagger.tag(embedding, {}, settings, outcome);
  EXPECT_TRUE(tagged) << tagged.error().message;
  return outcome.scores;
}

class StreamPeer : public testing::Test {
 protected:
  adapt::Scores tag_tda(const std::vector<float>& embedding) { return tag(tagger_, embedding, with(Correction::kTda)); }

  StreamTagger tagger_{labels({"a", "b", "c"}), 10};
};

TEST_F(StreamPeer, CorrectsAsItDoesByItself) {
  const auto set = labels({"a", "b", "c"});
  const std::span<const float> text(set.embeddings.data(), static_cast<std::size_t>(set.embeddings.size()));
  const auto peer = *adapt::Peer::make(Correction::kTda, {.count = 3, .width = 4, .text = text, .scale = 10});
  for (const auto* frame : {&kMostlyA, &kMostlyB, &kMostlyA}) {
    const adapt::Scores scores = tag_tda(*frame);
    adapt::Scores expected;
    ASSERT_TRUE(peer->adapt({scores.zero_shot, *frame}, true, expected));
    EXPECT_EQ(scores.corrected, expected.corrected);
    EXPECT_NE(scores.corrected, scores.zero_shot);
    EXPECT_EQ(scores.samples, expected.samples);
    EXPECT_EQ(scores.anchor, -1);
  }
}

TEST_F(StreamPeer, BcpLearnsMeanwhileAndIsThereAtOnce) {
  StreamTagger bcp(labels({"a", "b", "c"}), 10);
  for (const auto* frame : {&kMostlyA, &kMostlyB, &kMostlyA}) {
    tag_tda(*frame);
    tag(bcp, *frame, kPaper);
  }
  EXPECT_EQ(tagger_.samples(), 3);
  EXPECT_EQ(tag(tagger_, kMostlyB, kPaper).corrected, tag(bcp, kMostlyB, kPaper).corrected);
}

TEST_F(StreamPeer, StartsWithNothingWhenItIsChosenAgain) {
  const adapt::Scores first = tag_tda(kMostlyA);
  EXPECT_EQ(tag_tda(kMostlyB).samples, 2);
  tag(tagger_, kMostlyB, kPaper);
  const adapt::Scores again = tag_tda(kMostlyA);
  EXPECT_EQ(again.samples, 1);
  EXPECT_EQ(again.corrected, first.corrected);
  // One peer is not another.
  EXPECT_EQ(tag(tagger_, kMostlyA, with(Correction::kDota)).samples, 0);
}

TEST_F(StreamPeer, NearCopiesAreCorrectedAndNotLearnt) {
  TagSettings video = with(Correction::kTda);
  video.adapter = adapt::preset_settings(adapt::Preset::kVideo);
  Outcome outcome;
  ASSERT_TRUE(tagger_.tag(kMostlyA, 0.0, video, outcome));
  EXPECT_TRUE(outcome.learnt);
  ASSERT_TRUE(tagger_.tag(kMostlyA, 0.1, video, outcome));
  EXPECT_FALSE(outcome.learnt);
  EXPECT_EQ(outcome.scores.samples, 1);
  EXPECT_NE(outcome.scores.corrected, outcome.scores.zero_shot);
}

TEST_F(StreamPeer, ARegionIsCorrectedAndTeachesNothing) {
  Outcome outcome;
  ASSERT_TRUE(tagger_.tag_region(kMostlyB, with(Correction::kTda), outcome));
  EXPECT_EQ(outcome.scores.corrected, outcome.scores.zero_shot);
  tag_tda(kMostlyA);
  ASSERT_TRUE(tagger_.tag_region(kMostlyB, with(Correction::kTda), outcome));
  EXPECT_NE(outcome.scores.corrected, outcome.scores.zero_shot);
  EXPECT_FALSE(outcome.learnt);
  EXPECT_EQ(tag_tda(kMostlyB).samples, 2);
}

TEST_F(StreamPeer, ForgetsWithTheRest) {
  tag_tda(kMostlyA);
  tagger_.forget();
  Outcome outcome;
  ASSERT_TRUE(tagger_.tag_region(kMostlyA, with(Correction::kTda), outcome));
  EXPECT_EQ(outcome.scores.corrected, outcome.scores.zero_shot);
  EXPECT_EQ(tag_tda(kMostlyB).samples, 1);
  EXPECT_EQ(tagger_.samples(), 1);
}

TEST_F(StreamPeer, StartsAnewForAnotherStream) {
  tag_tda(kMostlyA);
  tagger_.restart();
  EXPECT_EQ(tag_tda(kMostlyB).samples, 1);
  EXPECT_EQ(tagger_.samples(), 2) << "which is for others to forget";
}

TEST_F(StreamPeer, StartsAnewForOtherLabels) {
  tag_tda(kMostlyA);
  tagger_.relabel(labels({"b", "a"}));
  const adapt::Scores scores = tag_tda(kMostlyA);
  EXPECT_EQ(scores.samples, 1);
  EXPECT_EQ(scores.corrected.size(), 2U);
}

TEST_F(StreamPeer, IsAStreamsOwnInAGroup) {
  StreamTagger other(labels({"a", "b", "c"}), 10);
  const auto group = prior::PriorGroup::alone();
  for (StreamTagger* each : {&tagger_, &other}) each->join(group);
  tag_tda(kMostlyA);
  EXPECT_EQ(tag(other, kMostlyB, with(Correction::kTda)).samples, 1);
  EXPECT_EQ(tagger_.samples(), 2);
}

TEST_F(StreamPeer, ABadFrameIsAnErrorThatTeachesNothing) {
  tag_tda(kMostlyA);
  Outcome outcome;
  EXPECT_FALSE(tagger_.tag(std::vector<float>{NAN, 0, 0, 0}, {}, with(Correction::kTda), outcome));
  EXPECT_EQ(tag_tda(kMostlyB).samples, 2);
  EXPECT_EQ(tagger_.samples(), 2);
}

TEST(StreamPeerRefused, IsToldOnceAndPlainClipGoesOn) {
  constexpr std::size_t kWidth = 20'000;  // a covariance of that many numbers is past what a peer may keep
  clip::LabelSet wide;
  wide.labels = {{"a", {}}, {"b", {}}};
  wide.embeddings = clip::TextMatrix::Zero(2, kWidth);
  wide.embeddings(0, 0) = wide.embeddings(1, 1) = 1;
  StreamTagger tagger(wide, 10);
  std::vector<float> frame(kWidth);
  frame[0] = 1;
  EXPECT_FALSE(tagger.take_refusal());
  for (int i = 0; i < 2; ++i) {
    const adapt::Scores scores = tag(tagger, frame, with(Correction::kDota));
    EXPECT_EQ(scores.corrected, scores.zero_shot);
  }
  const std::optional<Error> refusal = tagger.take_refusal();
  ASSERT_TRUE(refusal);
  EXPECT_NE(refusal->message.find("DOTA"), std::string::npos) << refusal->message;
  tag(tagger, frame, with(Correction::kDota));
  EXPECT_FALSE(tagger.take_refusal());
  EXPECT_NE(tag(tagger, frame, with(Correction::kTda)).correction[0], 0);
  EXPECT_EQ(tagger.samples(), 4);
}

}  // namespace
}  // namespace bcp::tag
