// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include "eval/groups.hpp"
#include "eval_support.hpp"

namespace bcp::eval {
namespace {

using Sizes = std::array<std::size_t, 3>;

Sizes sizes_for(std::size_t labels) {
  const auto groups = frequency_groups({1, labels, std::vector<std::int8_t>(labels)});
  return {groups[0].size(), groups[1].size(), groups[2].size()};
}

TEST(Groups, PositivesAreCountedWithoutIgnoredLabels) {
  EXPECT_EQ(positives(test::truth_of({{1, 0, -1}, {1, 1, -1}, {-1, 0, 0}})), (std::vector<std::size_t>{2, 1, 0}));
}

TEST(Groups, ASampleBelongsToItsRarestLabel) {
  const Truth truth = test::truth_of({{1, 1, 0}, {1, 0, 1}, {1, 1, 1}, {0, 0, 0}, {1, -1, 0}});
  EXPECT_EQ(rarest_labels(truth), (std::vector<int>{1, 2, 1, -1, 0}));  // 4, 2, 2: the first of equals
}

TEST(Groups, BucketsAreThoseOfThePaper) {
  Truth truth{10, 9, std::vector<std::int8_t>(90)};
  for (std::size_t t = 0; t < 10; ++t)
    for (std::size_t k = 0; k < 9; ++k) truth.values[t * 9 + k] = k < t ? 1 : -1;
  const auto buckets = label_counts(truth);
  EXPECT_FALSE(buckets[0]);
  const std::vector<std::size_t> expected = {0, 0, 1, 1, 2, 2, 2, 3, 3};  // of 1, 2, ..., 9 labels
  for (std::size_t t = 1; t < 10; ++t) EXPECT_EQ(buckets[t], expected[t - 1]) << t << " labels";
}

TEST(Groups, FrequencyGroupsAreEvenWithLargerPartsFirst) {
  EXPECT_EQ(sizes_for(20), (Sizes{7, 7, 6}));
  EXPECT_EQ(sizes_for(80), (Sizes{27, 27, 26}));
  EXPECT_EQ(sizes_for(81), (Sizes{27, 27, 27}));
  EXPECT_EQ(sizes_for(1), (Sizes{1, 0, 0}));
}

TEST(Groups, HeadIsTheMostFrequentAndEqualsKeepTheirOrder) {
  const auto groups = frequency_groups(test::truth_of({{0, 1, 1, 0, 1, 0}, {0, 1, 0, 0, 1, 0}, {0, 1, 0, 0, 0, 1}}));
  EXPECT_EQ(groups[0], (std::vector<std::size_t>{1, 4}));
  EXPECT_EQ(groups[1], (std::vector<std::size_t>{2, 5}));
  EXPECT_EQ(groups[2], (std::vector<std::size_t>{0, 3}));
}

}  // namespace
}  // namespace bcp::eval
