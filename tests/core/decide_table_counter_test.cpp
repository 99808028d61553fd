// SPDX-License-Identifier: LGPL-2.1-or-later

#include "decide/table_counter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/temporary.hpp"

namespace bcp::decide {
namespace {

using Words = std::vector<std::string>;
using Numbers = std::vector<double>;

TableCounter four_pictures() {
  TableCounter counter;
  counter.add(Words{"dog", "person"});
  counter.add(Words{"person"});
  counter.add(Words{});
  counter.add(Words{"person", "dog", "leash"});
  return counter;
}

TEST(TableCounter, CountsLabelsAloneAndTogetherMostFrequentFirst) {
  const PriorTable::Counts counts = four_pictures().counts(1);
  EXPECT_EQ(counts.pictures, 4);
  EXPECT_EQ(counts.labels, (Words{"person", "dog", "leash"}));
  EXPECT_EQ(counts.count, (Numbers{3, 2, 1}));
  EXPECT_EQ(counts.together, (std::vector<Numbers>{{3, 2, 1}, {2, 2, 1}, {1, 1, 1}}));
}

TEST(TableCounter, CountsALabelOnceInAPicture) {
  TableCounter counter;
  counter.add(Words{"dog", "dog", "cat", "dog"});
  const PriorTable::Counts counts = counter.counts(1);
  EXPECT_EQ(counts.count, (Numbers{1, 1}));
  EXPECT_EQ(counts.together, (std::vector<Numbers>{{1, 1}, {1, 1}}));
}

TEST(TableCounter, OrdersEqualCountsByName) {
  TableCounter counter;
  counter.add(Words{"zebra", "ant"});
  EXPECT_EQ(counter.counts(1).labels, (Words{"ant", "zebra"}));
}

TEST(TableCounter, LeavesOutRareLabelsButNotTheirPictures) {
  const PriorTable::Counts counts = four_pictures().counts(2);
  EXPECT_EQ(counts.labels, (Words{"person", "dog"}));
  EXPECT_EQ(counts.pictures, 4);
  EXPECT_EQ(counts.together, (std::vector<Numbers>{{3, 2}, {2, 2}}));
}

TEST(TableCounter, SavesATableThatCanBeReadAgain) {
  const test::TemporaryDirectory directory;
  PriorTable::Counts counts = four_pictures().counts(1);
  counts.source = "four \"pictures\"";
  ASSERT_TRUE(PriorTable::save(directory / "table.json", counts));
  const Result<PriorTable> table = PriorTable::load(directory / "table.json");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->source(), counts.source);
  EXPECT_EQ(table->words(), counts.labels);
  EXPECT_DOUBLE_EQ(table->base_rate(*table->find("dog")), 0.5);
  EXPECT_DOUBLE_EQ(table->conditional()(1, 0), (2 + 50 * 0.5) / (3 + 50));
}

TEST(TableCounter, DoesNotSaveATableThatCannotBeRead) {
  const test::TemporaryDirectory directory;
  const Status empty = PriorTable::save(directory / "table.json", TableCounter().counts(1));
  ASSERT_FALSE(empty);
  EXPECT_NE(empty.error().message.find("table.json cannot be written"), std::string::npos) << empty.error().message;
  PriorTable::Counts counts = four_pictures().counts(1);
  counts.together[0][1] = 1;
  EXPECT_FALSE(PriorTable::save(directory / "table.json", counts));
  EXPECT_FALSE(PriorTable::load(directory / "table.json"));
}

}  // namespace
}  // namespace bcp::decide
