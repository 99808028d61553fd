// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Label changes that are prepared in the background.

#include "prior/successor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "prior_support.hpp"

namespace bcp::prior {
namespace {

using test::Frame;
using test::frames;
using test::kMostlyA;
using test::kMostlyB;
using test::kPaper;
using test::labels;
using test::Names;
using test::Stream;

// What is learnt between preparing and swapping is in the new list, to the last bit, as if it had been learnt before.
TEST(Successor, LosesNothingLearntDuringPreparation) {
  for (const Names& list : {Names{"d", "c", "a"}, Names{"b", "a"}, Names{"c", "a", "b"}}) {
    for (const double half_life : {0.0, 7.0}) {
      tag::TagSettings settings = kPaper;
      settings.adapter.bcp.half_life = half_life;
      Stream prepared(""), direct("");
      const auto all = frames(38, 3);
      for (std::size_t i = 0; i < 30; ++i) prepared.see(all[i], settings), direct.see(all[i], settings);
      Successor next = prepared.group()->prepare(list);
      for (std::size_t i = 30; i < 38; ++i) prepared.see(all[i], settings), direct.see(all[i], settings);
      prepared.relabel(labels(list), std::move(next));
      direct.relabel(labels(list));
      EXPECT_EQ(prepared.samples(), direct.samples());
      EXPECT_EQ(prepared.learnt()->snapshot().seen, direct.learnt()->snapshot().seen);
      EXPECT_TRUE(prepared.learnt()->is_changed());
      const adapt::Scores expected = direct.see(kMostlyA, settings);
      EXPECT_EQ(prepared.see(kMostlyA, settings).corrected, expected.corrected);
    }
  }
}

TEST(Successor, IsPreparedAgainWhenItCannotCatchUp) {
  const Names list{"d", "c", "a"};
  Stream many(""), direct("");
  for (const Frame& frame : frames(5, 4)) many.see(frame), direct.see(frame);
  Successor next = many.group()->prepare(list);
  for (const Frame& frame : frames(20, 5)) many.see(frame), direct.see(frame);  // more than are recorded
  Successor copy = many.group()->prepare(list);
  many.relabel(labels(list), std::move(next));
  direct.relabel(labels(list));
  EXPECT_EQ(many.learnt()->snapshot().seen, direct.learnt()->snapshot().seen);
  EXPECT_TRUE(copy.catch_up()) << "each has notes of its own";

  // Two changes with nothing learnt in between, and a frame while the second is prepared.
  Stream twice(""), once("");
  for (const Frame& frame : frames(5, 6)) twice.see(frame), once.see(frame);
  for (Stream* each : {&twice, &once}) each->relabel(labels({"a", "b", "d"}));
  next = twice.group()->prepare({"a", "d", "c"});
  twice.see(kMostlyB), once.see(kMostlyB);
  twice.relabel(labels({"a", "d", "c"}), std::move(next));
  once.relabel(labels({"a", "d", "c"}));
  EXPECT_EQ(twice.learnt()->snapshot().seen, once.learnt()->snapshot().seen);
}

// The thread of the frames can return the work instead of doing it.
TEST(Successor, TryRelabelChangesNothingWhenItMustPrepareAgain) {
  const Names list{"d", "c", "a"};
  Stream one("");
  for (const Frame& frame : frames(5, 4)) one.see(frame);
  Successor next = one.group()->prepare(list);
  for (const Frame& frame : frames(20, 5)) one.see(frame);  // more than are recorded
  tag::Vocabulary words = labels(list);
  const auto before = one.learnt();
  EXPECT_FALSE(one.try_relabel(words, next));
  EXPECT_EQ(one.learnt(), before);
  EXPECT_EQ(tag::names_of(words.labels), list);
  next = one.group()->prepare(list);
  for (const Frame& frame : frames(16, 6)) one.see(frame);  // as many as are recorded
  EXPECT_TRUE(one.try_relabel(words, next));
  EXPECT_EQ(one.learnt()->labels(), list);
  EXPECT_EQ(one.samples(), 41);
}

TEST(Successor, ReturnsTheOldListToFreeElsewhere) {
  const Names list{"d", "c", "a"};
  Stream one("retires"), two("retires");
  one.see(kMostlyA);
  auto old = one.learnt();
  one.relabel(labels(list));
  EXPECT_EQ(one.group()->retire(std::move(old)), nullptr) << "the other stream has it";
  EXPECT_EQ(two.group()->learnt(two.learnt()->labels()), two.learnt());
  old = two.learnt();
  const std::weak_ptr<Learnt> watched = old;
  const Names names = old->labels();
  two.relabel(labels(list));
  std::shared_ptr<void> retired = two.group()->retire(std::move(old));
  ASSERT_NE(retired, nullptr);
  EXPECT_NE(two.group()->learnt(names), watched.lock()) << "it is no longer found";
  retired.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(Successor, ForgetsDuringPreparation) {
  Stream one("");
  one.see(kMostlyA);
  Successor next = one.group()->prepare({"a", "b"});
  one.forget();
  one.see(kMostlyB);
  one.relabel(labels({"a", "b"}), std::move(next));
  EXPECT_EQ(one.samples(), 1) << "only what was learnt after forgetting";
}

TEST(Successor, JoinsAListCreatedDuringPreparation) {
  Stream one("prepares"), two("prepares");
  one.see(kMostlyA);
  const Names list{"b", "a", "d"};
  Successor first = one.group()->prepare(list), second = two.group()->prepare(list);
  one.relabel(labels(list), std::move(first));
  EXPECT_TRUE(one.is_apart());
  one.see(kMostlyB);
  two.relabel(labels(list), std::move(second));
  EXPECT_EQ(one.learnt(), two.learnt());
  EXPECT_FALSE(one.is_apart());
  EXPECT_EQ(two.samples(), 2);
}

TEST(Successor, PreparesNothingForAnExistingList) {
  Stream one("is there"), two("is there", {"a", "b"});
  one.see(kMostlyA);
  Successor next = two.group()->prepare({"a", "b", "c"});
  EXPECT_FALSE(next.is_ready());
  two.relabel(labels({"a", "b", "c"}), std::move(next));
  EXPECT_EQ(one.learnt(), two.learnt());
}

// After preparation the thread of the frames has little left to do. 2,000 labels.
TEST(Successor, SwapsMuchFasterThanItPrepares) {
  using Clock = std::chrono::steady_clock;
  const auto milliseconds = [](Clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
  };
  const auto list = [](int first) {
    tag::Vocabulary words;
    for (int i = 0; i < 2000; ++i) words.labels.labels.push_back({std::to_string(first + i), {}});
    words.labels.embeddings = clip::TextMatrix::Random(2000, 4);
    return words;
  };
  double least_direct = 1e9, least_prepared = 1e9;
  for (int attempt = 0; attempt < 5; ++attempt) {
    tag::StreamTagger direct(list(0), test::kTen), prepared(list(0), test::kTen);
    tag::Outcome outcome;
    for (tag::StreamTagger* each : {&direct, &prepared}) {
      for (const Frame& frame : frames(3, 7)) ASSERT_TRUE(each->tag(frame, {}, kPaper, outcome));
    }
    auto next = list(100);
    auto begin = Clock::now();
    direct.relabel(next);
    least_direct = std::min(least_direct, milliseconds(Clock::now() - begin));
    Successor learnt = prepared.group()->prepare(tag::names_of(next.labels));
    begin = Clock::now();
    prepared.relabel(std::move(next), std::move(learnt));
    least_prepared = std::min(least_prepared, milliseconds(Clock::now() - begin));
    EXPECT_EQ(prepared.samples(), direct.samples());
  }
  RecordProperty("direct_ms", std::to_string(least_direct));
  RecordProperty("prepared_ms", std::to_string(least_prepared));
  std::printf("2,000 labels: %.2f ms to make and swap, %.2f ms to swap\n", least_direct, least_prepared);
  EXPECT_LT(least_prepared, least_direct / 3);
}

}  // namespace
}  // namespace bcp::prior
