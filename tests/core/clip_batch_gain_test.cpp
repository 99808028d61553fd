// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/batch_gain.hpp"

#include <gtest/gtest.h>

namespace bcp::clip {
namespace {

using namespace std::chrono_literals;

constexpr int kSamples = BatchGain::kSamples;
constexpr int kForgotten = BatchGain::kForgotten;

// A gain that has seen both ways often enough: 8 ms alone, `two` for two together.
BatchGain settled(BatchGain::Duration two) {
  BatchGain gain;
  for (int i = 0; i < kSamples; ++i) gain.ran(1, 1, 8ms);
  for (int i = 0; i < kSamples; ++i) gain.ran(2, 2, two);
  return gain;
}

TEST(BatchGain, TimesSinglesFirstAndThenPairs) {
  BatchGain gain;
  for (int i = 0; i < kSamples; ++i) {
    EXPECT_EQ(gain.requests(), 1);
    gain.ran(1, 1, 8ms);
  }
  for (int i = 0; i < kSamples; ++i) {
    EXPECT_EQ(gain.requests(), 2);
    EXPECT_EQ(gain.patience(), 0ms) << "nobody waits for a trial";
    gain.ran(2, 2, 9ms);
  }
  EXPECT_EQ(gain.requests(), BatchGain::kMany);
}

TEST(BatchGain, LeavesBatchesAloneWhereTheySaveTooLittle) {
  EXPECT_EQ(settled(14ms).requests(), 1);
  EXPECT_EQ(settled(14ms).patience(), 0ms);
  EXPECT_EQ(settled(10ms).requests(), BatchGain::kMany);
}

TEST(BatchGain, IsPatientForAnEighthOfTheLastRun) {
  BatchGain gain = settled(8ms);
  EXPECT_EQ(gain.patience(), 1ms);
  gain.ran(8, 8, 16ms);
  EXPECT_EQ(gain.patience(), 2ms);
}

TEST(BatchGain, IsNotTakenInByTwoSlowRuns) {
  BatchGain gain = settled(10ms);
  gain.ran(7, 7, 500ms);  // the first of its size
  gain.ran(8, 8, 500ms);
  EXPECT_EQ(gain.requests(), BatchGain::kMany);
  gain = settled(16ms);
  gain.ran(1, 1, 100ms);
  gain.ran(1, 1, 100ms);
  EXPECT_EQ(gain.requests(), 1);
}

TEST(BatchGain, KeepsToSinglesWhereTimesMeanLittle) {
  BatchGain gain;
  for (int i = 0; i < kSamples; ++i) gain.ran(1, 1, i % 2 == 0 ? 8ms : 30ms);
  for (int i = 0; i < kSamples; ++i) gain.ran(2, 2, i % 2 == 0 ? 8ms : 30ms);  // half of the time, by the mean
  EXPECT_EQ(gain.requests(), 1);
}

TEST(BatchGain, CountsTilesByThePicture) {
  BatchGain gain;
  for (int i = 0; i < kSamples; ++i) gain.ran(1, 2, 16ms);
  for (int i = 0; i < kSamples; ++i) gain.ran(2, 4, 32ms);
  EXPECT_EQ(gain.requests(), 1);
}

TEST(BatchGain, TriesThePathNotTakenNowAndThen) {
  BatchGain gain = settled(16ms);
  int trials = 0;
  for (int run = 0; run < 4 * kForgotten; ++run) {
    const int requests = gain.requests();
    trials += requests == 2;
    gain.ran(requests, requests, requests * 8ms);
  }
  EXPECT_EQ(trials, 3);
}

TEST(BatchGain, ChangesItsMindWhenTheMachineDoes) {
  BatchGain gain = settled(16ms);
  int run = 0;
  // Pairs cost what one does from now on.
  while (gain.requests() != BatchGain::kMany && run++ < 8 * kForgotten) gain.ran(gain.requests(), gain.requests(), 8ms);
  EXPECT_EQ(gain.requests(), BatchGain::kMany);
  EXPECT_GT(run, kForgotten);
  // And no longer.
  for (run = 0; run < kSamples; ++run) gain.ran(4, 4, 32ms);
  EXPECT_EQ(gain.requests(), 1);
}

}  // namespace
}  // namespace bcp::clip
