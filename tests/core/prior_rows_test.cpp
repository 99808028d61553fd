// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Rows of sparse statistics (adapt/label_rows.hpp) in snapshots.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "adapt/label_rows.hpp"
#include "adapt/sample_groups.hpp"
#include "common/temporary.hpp"
#include "prior/merge.hpp"
#include "prior_snapshots.hpp"

namespace bcp::prior {
namespace {

constexpr std::size_t kLabels = adapt::kDenseLabels + 2;

// More samples than groups. `turn`: other labels are likely.
Snapshot with_rows(std::size_t turn = 0, double decay = 1) {
  adapt::Cooccurrence seen(kLabels);
  const std::size_t samples = adapt::SampleGroups::most_groups(kLabels) + 5;
  for (std::size_t t = 0; t < samples; ++t) {
    std::vector<double> p(kLabels, 1e-5);
    p[(turn + t) % 9] = 0.5;
    p[(turn + t) % 5 + 9] += 0.25;
    p[20 + t % 50] = 8e-4 / static_cast<double>(1 + t % 7);
    seen.learn(p, decay);
  }
  return {"the model", names(kLabels), std::move(seen)};
}

// The same bits on every machine: sums of powers of two. Two groups of two samples each are merged ones.
Snapshot golden_rows() {
  constexpr float kFaint = 1.0F / 2048;
  adapt::Cooccurrence::Parts parts = adapt::Cooccurrence(4, Storage::kSparse).parts();
  parts.eras[0].samples = 4;
  // (0.5, 0.25, 0.25 - f, f), (0.5, 0.5, 0, 0), (0.25, 0.25, 0.5 - f, f), (0.75, 0.25, 0, 0)
  parts.eras[0].single = {2, 1.25, 0.75 - 2 * double{kFaint}, 2 * double{kFaint}};
  parts.stored = {
      {0, 0, 1.125},
      {0, 1, 0.625},
      {0, 2, 0.25 - 0.75 * double{kFaint}},
      {1, 1, 0.4375},
      {1, 2, 0.1875 - 0.5 * double{kFaint}},
      {2, 2, (0.25 - double{kFaint}) * (0.25 - double{kFaint}) + (0.5 - double{kFaint}) * (0.5 - double{kFaint})}};
  parts.groups = {{2, 0, {0, 0, 0, kFaint}, {{0, 1}, {1, 0.75F}, {2, 0.25F - kFaint}}},
                  {2, 0, {0, 0, 0, kFaint}, {{0, 1}, {1, 0.5F}, {2, 0.5F - kFaint}}}};
  parts.rows = {{0, {0, 0, 0, 0.75F * kFaint}}, {2, {0, 0, 0, 0.75F * kFaint - 2 * kFaint * kFaint}}};
  Snapshot snapshot = golden(Storage::kSparse);
  snapshot.seen = adapt::Cooccurrence(parts);
  return snapshot;
}

adapt::Cooccurrence::Parts sorted_parts(const adapt::Cooccurrence& seen) {
  adapt::Cooccurrence::Parts all = seen.parts();
  std::sort(all.stored.begin(), all.stored.end(),
            [](const auto& a, const auto& b) { return std::pair(a.i, a.j) < std::pair(b.i, b.j); });
  return all;
}

// Begins at the tag.
std::size_t section(const std::string& bytes, const std::string& tag) {
  const std::size_t at = bytes.rfind(tag);
  EXPECT_NE(at, std::string::npos);
  return at;
}

void set(std::string& bytes, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xFF);
}

void set(std::string& bytes, std::size_t at, float value) {
  set(bytes, at, std::bit_cast<std::uint32_t>(value));
}

std::string error_of(const std::string& bytes) {
  const Result<Snapshot> read = decode_snapshot(sealed(bytes));
  return read ? "" : read.error().message;
}

TEST(SnapshotRows, ComeBackBitForBit) {
  for (const double decay : {1.0, 0.99}) {
    const Snapshot saved = with_rows(0, decay);
    const adapt::Cooccurrence::Parts parts = sorted_parts(saved.seen);
    ASSERT_EQ(parts.rows.size(), 14u);
    const std::string bytes = encode_snapshot(saved);
    const Result<Snapshot> read = decode_snapshot(bytes);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(sorted_parts(read->seen), parts);
    EXPECT_EQ(encode_snapshot(*read), bytes);
    const Result<Snapshot> again = decode_snapshot(encode_snapshot(*read));
    ASSERT_TRUE(again);
    std::vector<double> once(kLabels), twice(kLabels);
    for (std::size_t a = 0; a < kLabels; a += a < 80 ? 1 : 97) {
      read->seen.column(a, once);
      again->seen.column(a, twice);
      EXPECT_EQ(once, twice) << a;
      for (std::size_t k = 0; k < kLabels; k += k < 80 ? 1 : 89) {
        const double pair = saved.seen.pair(k, a);
        ASSERT_EQ(read->seen.pair(k, a), again->seen.pair(k, a));
        ASSERT_NEAR(once[k], pair, 1e-5 * pair) << k << ", " << a;
      }
    }
  }
}

TEST(SnapshotRows, AreLeftOutUntilSamplesAreGrouped) {
  EXPECT_EQ(encode_snapshot(whole(Storage::kSparse)).find("ROWS"), std::string::npos);
  EXPECT_NE(encode_snapshot(with_rows()).find("ROWS"), std::string::npos);
}

// A shorter label list has room for more groups: the rows still do not follow from them.
TEST(SnapshotRows, StayWhenGroupsNoLongerFillTheirRoom) {
  Snapshot saved = with_rows();
  std::vector<int> from(adapt::kDenseLabels + 1);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<int>(i);
  ASSERT_FALSE(saved.seen.parts().rows.empty());
  const adapt::Cooccurrence::Parts before = saved.seen.parts();
  adapt::Cooccurrence::Parts fewer = before;
  fewer.groups.resize(3);
  const adapt::Cooccurrence seen(fewer);
  EXPECT_EQ(seen.parts().rows, before.rows);
  EXPECT_EQ(saved.seen.relabelled(from).parts().rows.size(), before.rows.size());
}

// Earlier versions skip the section, and this one reads their files.
TEST(SnapshotRows, MayBeMissing) {
  const Snapshot saved = with_rows();
  std::string bytes = encode_snapshot(saved);
  bytes.replace(section(bytes, "ROWS"), 4, "NEXT");
  const Result<Snapshot> read = decode_snapshot(sealed(bytes));
  ASSERT_TRUE(read) << read.error().message;
  const auto& m = saved.seen.single();
  for (std::size_t k = 0; k < 80; ++k) {
    for (std::size_t a = 0; a < 80; ++a) {
      const double pair = saved.seen.pair(k, a);
      ASSERT_NEAR(read->seen.pair(k, a), pair, adapt::kFloor * (m[k] + m[a]) + 1e-5 * pair);
    }
  }
}

TEST(SnapshotRows, AreRefusedIfDamaged) {
  const std::string good = encode_snapshot(golden_rows());
  ASSERT_EQ(error_of(good), "");
  const std::size_t tag = section(good, "ROWS"), size = tag + 4, count = tag + 12, row = count + 4, next = row + 20;
  const auto error = [&](auto change) {
    std::string bytes = good;
    change(bytes);
    return error_of(bytes);
  };
  const std::string length = "is damaged: its rows of labels do not match its length",
                    label = "is damaged: a row has an invalid label",
                    number = "is damaged: a row has an invalid label count";
  for (const std::uint32_t wrong : {0u, 1u, 3u, 4u, 5u, 0x33333334u, 0x40000000u, 0xFFFFFFFFu})
    EXPECT_EQ(error([&](auto& bytes) { set(bytes, count, wrong); }), length) << wrong;
  const auto lengthen = [&](std::string& bytes, std::size_t by) {
    bytes.insert(next + 20, by, '\0');
    set(bytes, size, static_cast<std::uint32_t>(44 + by));
    set(bytes, 16, static_cast<std::uint32_t>(bytes.size()));
  };
  for (const std::size_t by : {1u, 4u, 20u, 1000u})
    EXPECT_EQ(error([&](auto& bytes) { lengthen(bytes, by); }), length) << by;
  EXPECT_EQ(error([&](auto& bytes) {
              lengthen(bytes, 60);
              set(bytes, count, std::uint32_t{5});  // more rows than labels
            }),
            length);
  EXPECT_EQ(error([&](auto& bytes) { set(bytes, size, std::uint32_t{0xFFFFFFF0}); }),
            "is damaged: it ends inside its sections");
  EXPECT_EQ(error([&](auto& bytes) { set(bytes, row, std::uint32_t{4}); }), label);
  EXPECT_EQ(error([&](auto& bytes) { set(bytes, row, std::uint32_t{2}); }), label);  // twice
  EXPECT_EQ(error([&](auto& bytes) { set(bytes, next, std::uint32_t{0}); }), label);
  for (const float wrong :
       {-1e-6F, 2.1F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    EXPECT_EQ(error([&](auto& bytes) { set(bytes, row + 4, wrong); }), number) << wrong;
  // Below m of the row's label, but more than the other label has.
  EXPECT_EQ(error([&](auto& bytes) { set(bytes, row + 16, 0.1F); }), number);
}

TEST(SnapshotRows, AreRefusedWhenTruncatedAnywhere) {
  const std::string good = encode_snapshot(golden_rows());
  for (std::size_t length = 0; length < good.size(); ++length) {
    std::string bytes = good.substr(0, length);
    ASSERT_FALSE(decode_snapshot(bytes)) << length;
    if (length < 60) continue;
    set(bytes, 16, static_cast<std::uint32_t>(length));
    ASSERT_FALSE(decode_snapshot(sealed(bytes))) << length;
  }
}

// The first file may be either one.
TEST(SnapshotRows, AddUpInEitherOrder) {
  const auto reread = [](const Snapshot& snapshot) { return *decode_snapshot(encode_snapshot(snapshot)); };
  const Snapshot a = reread(with_rows()), b = reread(with_rows(4));
  Snapshot c = reread(with_rows(2));
  c.labels[0] = "another label";
  for (const Snapshot* y : {&b, static_cast<const Snapshot*>(&c)}) {
    const Snapshot one = merged(a, *y), other = merged(*y, a);
    std::vector<int> order = adapt::rows_of(one.labels, other.labels);
    const adapt::Cooccurrence turned = other.seen.relabelled(order);
    const std::vector<adapt::LabelRow> rows = one.seen.parts().rows;
    ASSERT_GE(rows.size(), 14u);
    EXPECT_EQ(rows, turned.parts().rows);
    for (const adapt::LabelRow& row : rows) {
      for (std::size_t k = 0; k < 80; ++k) {
        const double pair = one.seen.pair(row.label, k);
        // Samples in which both are faint are in groups that may differ.
        const double faint = adapt::kFloor * std::min(one.seen.single()[row.label], one.seen.single()[k]);
        ASSERT_NEAR(turned.pair(row.label, k), pair, faint + 1e-5 * pair) << row.label << ", " << k;
      }
    }
  }
  // The sum of both, not of one twice.
  const Snapshot sum = merged(a, b);
  for (std::size_t k = 0; k < 80; ++k) {
    const double exact = a.seen.pair(0, k) + b.seen.pair(0, k);
    ASSERT_NEAR(sum.seen.pair(0, k), exact, 1e-5 * exact) << k;
  }
}

TEST(SnapshotRows, ReadAndWriteTheFileOfThePage) {
  const std::string path = kPriors + "rows.prior";
  EXPECT_EQ(encode_snapshot(golden_rows()), test::read(path));
  const Result<Snapshot> read = load_snapshot(path);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(sorted_parts(read->seen), sorted_parts(golden_rows().seen));
  EXPECT_EQ(read->seen.parts().rows.size(), 2u);
}

}  // namespace
}  // namespace bcp::prior
