// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/statistics.hpp"

#include <gtest/gtest.h>

#include "support/owners.hpp"

namespace bcp::tagger {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Rate::Clock::time_point kStart{std::chrono::hours(1)};

double number_in(const GstStructure* structure, const char* field) {
  const GValue* value = gst_structure_get_value(structure, field);
  if (!value) {
    ADD_FAILURE() << "no " << field;
    return -1;
  }
  GValue number = G_VALUE_INIT;
  g_value_init(&number, G_TYPE_DOUBLE);
  EXPECT_TRUE(g_value_transform(value, &number)) << field;
  return g_value_get_double(&number);
}

TEST(Timing, IsZeroAtFirst) {
  const Timing timing;
  EXPECT_EQ(timing.count(), 0U);
  EXPECT_EQ(timing.mean(), 0);
  EXPECT_EQ(timing.p50(), 0);
  EXPECT_EQ(timing.p99(), 0);
}

TEST(Timing, TakesThePercentilesByRank) {
  Timing timing;
  for (int i = 100; i >= 1; --i) timing.add(i);
  EXPECT_EQ(timing.p50(), 50);
  EXPECT_EQ(timing.p99(), 99);
  EXPECT_EQ(timing.percentile(100), 100);
  EXPECT_EQ(timing.percentile(1), 1);
  EXPECT_DOUBLE_EQ(timing.mean(), 50.5);
  EXPECT_DOUBLE_EQ(timing.sum(), 5050);
}

TEST(Timing, HasTheOnlyValueForEveryPercentile) {
  Timing timing;
  timing.add(7);
  EXPECT_EQ(timing.p50(), 7);
  EXPECT_EQ(timing.p99(), 7);
}

TEST(Timing, UsesRecentValuesForPercentilesAndAllForTheMean) {
  Timing timing;
  for (int i = 0; i < 1000; ++i) timing.add(1000);
  for (int i = 0; i < 1000; ++i) timing.add(1);
  EXPECT_EQ(timing.p50(), 1);
  EXPECT_EQ(timing.p99(), 1);
  EXPECT_EQ(timing.count(), 2000U);
  EXPECT_DOUBLE_EQ(timing.mean(), 500.5);
}

TEST(Rate, IsZeroBeforeTheFirstEvent) {
  EXPECT_EQ(Rate().per_second(kStart), 0);
}

TEST(Rate, IsCorrectForASteadyStreamFromTheSecondSecondOn) {
  Rate rate;
  for (int i = 0; i < 25 * 60; ++i) {
    const auto now = kStart + milliseconds(370) + i * milliseconds(40);
    rate.add(now);
    if (i <= 50) continue;
    ASSERT_NEAR(rate.per_second(now), 25, 0.6) << i;
  }
}

TEST(Rate, OfTheFirstFrameIsNotInfinite) {
  Rate rate;
  rate.add(kStart);
  EXPECT_LE(rate.per_second(kStart), 1);
}

TEST(Rate, FollowsAChangeWithinItsWindow) {
  Rate rate;
  for (int i = 0; i < 600; ++i) rate.add(kStart + i * milliseconds(100));
  const auto later = kStart + seconds(60);
  for (int i = 0; i < 48; ++i) rate.add(later + i * milliseconds(250));
  EXPECT_NEAR(rate.per_second(later + seconds(12)), 4, 0.5);
}

TEST(Rate, FallsToZeroWithoutEvents) {
  Rate rate;
  for (int i = 0; i < 100; ++i) rate.add(kStart + i * milliseconds(100));
  EXPECT_GT(rate.per_second(kStart + seconds(15)), 0);
  EXPECT_EQ(rate.per_second(kStart + seconds(21)), 0);
  EXPECT_EQ(rate.per_second(kStart + std::chrono::hours(5)), 0);
}

TEST(Statistics, CountsAFrameFromItsArrivalToItsLabels) {
  Statistics statistics;
  for (int i = 0; i < 4; ++i) statistics.add_frame(kStart + i * milliseconds(500));
  statistics.add_run(3);
  statistics.add_run(1);
  statistics.add_result({.wait = 2, .preprocess = 3, .inference = 40, .adapt = 1}, 5, kStart + seconds(1));
  statistics.add_attached(true, 0);
  statistics.add_attached(false, 80 * GST_MSECOND);
  statistics.add_attached(false, GST_CLOCK_TIME_NONE);

  const gst::StructurePtr stats(statistics.to_structure(kStart + seconds(2)));
  EXPECT_EQ(number_in(stats.get(), "frames"), 4);
  EXPECT_EQ(number_in(stats.get(), "scored"), 1);
  EXPECT_EQ(number_in(stats.get(), "held"), 2);
  EXPECT_EQ(number_in(stats.get(), "active"), 5);
  EXPECT_EQ(number_in(stats.get(), "batch"), 2);
  EXPECT_EQ(number_in(stats.get(), "wait-p50-ms"), 2);
  EXPECT_EQ(number_in(stats.get(), "preprocess-p99-ms"), 3);
  EXPECT_EQ(number_in(stats.get(), "inference-mean-ms"), 40);
  EXPECT_EQ(number_in(stats.get(), "adapt-p50-ms"), 1);
  EXPECT_EQ(number_in(stats.get(), "age-count"), 2);
  EXPECT_EQ(number_in(stats.get(), "age-p99-ms"), 80);
  EXPECT_DOUBLE_EQ(number_in(stats.get(), "frames-per-second"), 2);
  EXPECT_DOUBLE_EQ(number_in(stats.get(), "scored-per-second"), 1);
}

TEST(Statistics, HasNoWaitInSyncMode) {
  Statistics statistics;
  statistics.add_result({.wait = {}, .preprocess = 1, .inference = 1, .adapt = 1}, 0, kStart);
  const gst::StructurePtr stats(statistics.to_structure(kStart));
  EXPECT_EQ(number_in(stats.get(), "wait-count"), 0);
  EXPECT_EQ(number_in(stats.get(), "inference-count"), 1);
}

}  // namespace
}  // namespace bcp::tagger
