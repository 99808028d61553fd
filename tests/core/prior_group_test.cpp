// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Streams that learn together: what they share, and what is their own.

#include "prior/group.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "common/temporary.hpp"
#include "prior_support.hpp"

namespace bcp::prior {
namespace {

using test::Frame;
using test::frames;
using test::group;
using test::kMostlyA;
using test::kMostlyB;
using test::kPaper;
using test::labels;
using test::Names;
using test::Stream;

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(PriorGroup, LearnsLikeOneStreamWithAllFrames) {
  for (const double half_life : {0.0, 7.0}) {
    tag::TagSettings settings = kPaper;
    settings.adapter.bcp.half_life = half_life;
    settings.adapter.bcp.anchor_confidence = 0.3;
    Stream one("together"), two("together"), all("");
    std::mt19937 random(5);
    for (const Frame& frame : frames(200, 1)) {
      const adapt::Scores expected = all.see(frame, settings);
      const adapt::Scores scores = (random() % 3 ? one : two).see(frame, settings);
      EXPECT_EQ(scores.corrected, expected.corrected);
      EXPECT_EQ(scores.samples, expected.samples);
    }
    EXPECT_EQ(one.learnt()->snapshot().seen, all.learnt()->snapshot().seen);
    EXPECT_EQ(one.learnt(), two.learnt());
  }
}

TEST(PriorGroup, EndsWarmUpForAllStreams) {
  tag::TagSettings settings = kPaper;
  settings.adapter.bcp.warm_up = true;
  Stream one("settling"), two("settling");
  for (int i = 0; i < 3; ++i) one.see(kMostlyB, settings);
  one.see(kMostlyA, settings);
  const adapt::Scores scores = two.see(kMostlyA, settings);
  EXPECT_NE(scores.corrected, scores.zero_shot);
}

TEST(PriorGroup, KeepsNoveltyAndShownLabelsPerStream) {
  Stream one("own"), two("own");
  tag::TagSettings settings = kPaper;
  settings.adapter.novelty.distance = 0.1;
  settings.decision = {.threshold = 0.9, .threshold_off = 0.001};
  tag::Outcome first, second;
  ASSERT_TRUE(one.tag(Frame{1, 0, 0, 0}, 0.0, settings, first));
  ASSERT_TRUE(one.tag(Frame{0.9f, 0.8f, 0, 0}, 1.0, settings, first));
  ASSERT_TRUE(two.tag(Frame{0.9f, 0.8f, 0, 0}, 1.0, settings, second));
  EXPECT_TRUE(first.shown[0]);  // still
  EXPECT_FALSE(second.shown[0]);
  EXPECT_EQ(one.samples(), 3);

  one.restart();  // another stream begins
  ASSERT_TRUE(one.tag(Frame{0.9f, 0.8f, 0, 0}, 2.0, settings, first));
  ASSERT_TRUE(two.tag(Frame{0.9f, 0.8f, 0, 0}, 2.0, settings, second));
  EXPECT_TRUE(first.learnt);
  EXPECT_FALSE(second.learnt);
  EXPECT_EQ(two.samples(), 4);
}

TEST(PriorGroup, OutlivesAStreamAndEndsWithTheLast) {
  auto first = std::make_unique<Stream>("lives");
  auto second = std::make_unique<Stream>("lives");
  first->see(kMostlyA);
  second->see(kMostlyB);
  first.reset();
  EXPECT_EQ(second->samples(), 2);
  first = std::make_unique<Stream>("lives");
  EXPECT_EQ(first->samples(), 2);
  first.reset();
  second.reset();
  EXPECT_EQ(Stream("lives").samples(), 0);
}

TEST(PriorGroup, ForgetsForAllAndLearnsTheNextFrameOfEach) {
  Stream one("forgets"), two("forgets");
  const tag::TagSettings video;
  one.see(kMostlyA, video);
  two.see(kMostlyA, video);
  two.see(kMostlyA, video);  // a copy
  EXPECT_NEAR(one.samples(), 2, 0.01);
  one.forget();
  EXPECT_EQ(two.samples(), 0);
  one.see(kMostlyA, video);
  two.see(kMostlyA, video);
  EXPECT_NEAR(two.samples(), 2, 0.01);
}

TEST(PriorGroup, HasOneModel) {
  const auto in_use = group("model");
  const auto other = PriorGroup::join("model", "another");
  ASSERT_FALSE(other);
  EXPECT_CONTAINS(other.error().message, "prior-group=model is already in use with another model (model; this one is ");
  EXPECT_CONTAINS(other.error().message, "another prior-group");
  EXPECT_TRUE(PriorGroup::join("another group", "another"));
}

TEST(PriorGroup, WithoutANameIsNotShared) {
  Stream one(""), two("");
  one.see(kMostlyA);
  EXPECT_EQ(two.samples(), 0);
  EXPECT_FALSE(one.is_apart());
  EXPECT_FALSE(two.is_apart());
}

// Labels

TEST(PriorGroup, StaysTogetherWhenLabelsAreChangedOneAfterTheOther) {
  Stream one("changes"), two("changes"), three("changes"), alone("");
  for (const Frame& frame : frames(30, 2)) one.see(frame), alone.see(frame);
  const Names list{"d", "c", "a"};
  one.relabel(labels(list));
  EXPECT_TRUE(one.is_apart());
  two.relabel(labels(list));
  EXPECT_FALSE(two.is_apart());
  three.relabel(labels(list));
  alone.relabel(labels(list));
  EXPECT_EQ(one.learnt(), two.learnt());
  EXPECT_EQ(one.learnt(), three.learnt());
  EXPECT_FALSE(one.is_apart());
  EXPECT_EQ(two.learnt()->snapshot().seen, alone.learnt()->snapshot().seen);
  two.see(kMostlyA);
  EXPECT_EQ(one.samples(), 31);
}

TEST(PriorGroup, LearnsEachListSeparately) {
  Stream one("lists", {"a", "b"}), two("lists", {"b", "d"});
  EXPECT_FALSE(one.learnt() == two.learnt());
  EXPECT_TRUE(two.is_apart());
  one.see(kMostlyA);
  EXPECT_EQ(two.samples(), 0);
  two.see(kMostlyB);
  two.see(kMostlyB);
  EXPECT_EQ(one.samples(), 1);
}

TEST(PriorGroup, StartsANewListFromTheListWithMostCommonLabels) {
  Stream most("begins", {"a", "b", "c"});
  Stream newest("begins", {"c", "d"});
  for (int i = 0; i < 3; ++i) most.see(kMostlyA);
  for (int i = 0; i < 5; ++i) newest.see(kMostlyB);
  const Stream knows_more("begins", {"b", "a", "d"});
  EXPECT_EQ(knows_more.samples(), 3);
  EXPECT_EQ(knows_more.learnt()->snapshot().seen.eras[0].single[1], most.learnt()->snapshot().seen.eras[0].single[0]);
  const Stream knows_as_much("begins", {"d", "a"});
  EXPECT_EQ(knows_as_much.samples(), 3);  // from the newest that has two of them: {b, a, d}
  const Stream stranger("begins", {"c", "b"});
  EXPECT_EQ(stranger.samples(), 3);
}

TEST(PriorGroup, StartsAnUnrelatedListEmpty) {
  Stream one("strange", {"a", "b"});
  one.see(kMostlyA);
  EXPECT_EQ(Stream("strange", {"c", "d"}).samples(), 0);
}

// Files

TEST(PriorGroup, StoresTheStatisticsOfAllInOneFile) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.prior";
  {
    Stream one("stored"), two("stored");
    const auto first = one.open_file(path);
    ASSERT_TRUE(first);
    EXPECT_TRUE(first->is_new);
    EXPECT_FALSE(first->loaded);
    const auto second = two.open_file(directory / "./a.prior");
    ASSERT_TRUE(second);
    EXPECT_FALSE(second->is_new);
    EXPECT_EQ(second->file, first->file);
    one.see(kMostlyA);
    two.see(kMostlyB);
    two.save();
    EXPECT_EQ(two.saves, 1);
    EXPECT_EQ(one.saves, 0);
  }
  // The file can be opened as soon as the last stream is gone.
  Stream early("stored"), late("stored");
  early.see(kMostlyA);
  const auto again = late.open_file(path);
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_TRUE(again->loaded);
  EXPECT_EQ(again->loaded->samples, 2);
  EXPECT_EQ(again->loaded->known, 3u);
  EXPECT_EQ(early.samples(), 3);  // includes what was learnt before the file was loaded
}

TEST(PriorGroup, HasOneFile) {
  const test::TemporaryDirectory directory;
  Stream one("file"), two("file"), outside("");
  ASSERT_TRUE(one.open_file(directory / "a.prior"));
  const auto other = two.open_file(directory / "b.prior");
  ASSERT_FALSE(other);
  EXPECT_CONTAINS(other.error().message, "prior-group=file uses " + directory / "a.prior");
  EXPECT_CONTAINS(other.error().message, directory / "b.prior");
  EXPECT_CONTAINS(other.error().message, "one of them only");
  const auto mode = two.open_file(directory / "a.prior", PriorMode::kReadOnly);
  ASSERT_FALSE(mode);
  EXPECT_CONTAINS(mode.error().message, "another prior-mode");
  const auto claimed = outside.open_file(directory / "a.prior");
  ASSERT_FALSE(claimed);
  EXPECT_CONTAINS(claimed.error().message, "prior-group=file already uses this file");
}

// Also the test for ThreadSanitizer.
TEST(PriorGroup, LosesNoFrameWithManyConcurrentStreams) {
  constexpr int kStreams = 4;
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.prior";
  for (const bool forgets : {false, true}) {
    const auto keeper = std::make_unique<Stream>("busy");
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kStreams; ++i) {
      threads.emplace_back([&, i] {
        for (int run = 0; run < 3; ++run) {
          Stream stream("busy");
          EXPECT_TRUE(stream.open_file(path));
          for (const Frame& frame : frames(50, i)) stream.see(frame);
          stream.save();
          EXPECT_EQ(stream.saves, 1);
          if (!forgets) continue;
          stream.relabel(labels({"a", "c"}));
          for (const Frame& frame : frames(10, i)) stream.see(frame);
          stream.relabel(labels({"a", "b", "c"}));
          if (i == 0) stream.forget();
        }
      });
    }
    for (auto& thread : threads) thread.join();
    if (forgets) continue;
    EXPECT_EQ(keeper->samples(), 3 * kStreams * 50);
  }
}

// Joining while the last stream leaves gives the old group or a new one, with the file in both cases.
TEST(PriorGroup, IsJoinedWhileTheLastStreamLeaves) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.prior";
  std::vector<std::thread> threads;
  std::atomic<int> refused = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int run = 0; run < 50; ++run) {
        Stream stream("comes and goes");
        if (!stream.open_file(path)) ++refused;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(refused, 0);
}

TEST(PriorGroup, SavesCorrectionsWithEveryList) {
  Stream one("taught", {"a", "b", "c"}), two("taught", {"a", "b"});
  EXPECT_FALSE(two.learnt()->is_changed());
  ASSERT_TRUE(one.teach(kMostlyA, 0, true, false));
  EXPECT_TRUE(two.learnt()->is_changed());
  EXPECT_EQ(two.learnt()->snapshot().taught.statements(), 1u);
}

}  // namespace
}  // namespace bcp::prior
