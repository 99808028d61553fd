// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Snapshots: the content comes back unchanged, old files stay readable, and every damage is detected.

#include "prior/snapshot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "adapt/bcp.hpp"
#include "common/temporary.hpp"
#include "prior_snapshots.hpp"

namespace bcp::prior {
namespace {

// In the order of the file.
adapt::Cooccurrence::Parts parts(const adapt::Cooccurrence& seen) {
  adapt::Cooccurrence::Parts all = seen.parts();
  std::sort(all.stored.begin(), all.stored.end(),
            [](const auto& a, const auto& b) { return std::pair(a.i, a.j) < std::pair(b.i, b.j); });
  return all;
}

void expect_equal(const Snapshot& a, const Snapshot& b) {
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.settled, b.settled);
  EXPECT_EQ(parts(a.seen), parts(b.seen));
  EXPECT_EQ(a.taught, b.taught);
  EXPECT_EQ(a.origins, b.origins);
}

template <typename T>
std::string with(std::string bytes, std::size_t at, T value) {
  const auto bits = std::bit_cast<std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>(value);
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes[at + i] = static_cast<char>(bits >> (8 * i) & 0xFF);
  return sealed(bytes);
}

void expect_damaged(const std::string& bytes, const std::string& how) {
  const Result<Snapshot> decoded = decode_snapshot(bytes);
  ASSERT_FALSE(decoded) << how;
  EXPECT_EQ(decoded.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(decoded.error().message, "is damaged: " + how);
}

class SnapshotStorage : public testing::TestWithParam<Storage> {};
INSTANTIATE_TEST_SUITE_P(Snapshot, SnapshotStorage, testing::Values(Storage::kDense, Storage::kSparse),
                         [](const auto& of) { return of.param == Storage::kDense ? "Dense" : "Sparse"; });

TEST_P(SnapshotStorage, ComesBackUnchanged) {
  for (const double decay : {1.0, 0.9, 0.5}) {
    for (const std::size_t labels : {1u, 2u, 40u, 300u}) {
      Snapshot saved = snapshot(labels, GetParam(), decay);
      saved.settled = labels == 2;
      const Result<Snapshot> read = decode_snapshot(encode_snapshot(saved));
      ASSERT_TRUE(read) << read.error().message;
      expect_equal(*read, saved);
      for (std::size_t i = 0; i < labels; ++i) {
        for (std::size_t j = 0; j < labels; ++j) {
          const double pair = saved.seen.pair(i, j);  // the groups of sparse statistics are floats
          ASSERT_NEAR(read->seen.pair(i, j), pair, GetParam() == Storage::kDense ? 0 : 1e-6 * pair);
        }
      }
    }
  }
}

TEST_P(SnapshotStorage, ComesBackUnchangedWhenEmpty) {
  const Snapshot saved{"", names(3), adapt::Cooccurrence(3, GetParam())};
  const Result<Snapshot> read = decode_snapshot(encode_snapshot(saved));
  ASSERT_TRUE(read) << read.error().message;
  expect_equal(*read, saved);
}

// In hash tables the pairs have no defined order.
TEST_P(SnapshotStorage, HasTheSameBytesForTheSameContent) {
  const std::string once = encode_snapshot(snapshot(50, GetParam()));
  EXPECT_EQ(encode_snapshot(*decode_snapshot(once)), once);
}

TEST_P(SnapshotStorage, ContinuesLearningAsWithoutSaving) {
  Snapshot on = snapshot(30, GetParam());
  Result<Snapshot> read = decode_snapshot(encode_snapshot(on));
  ASSERT_TRUE(read);
  std::vector<double> p(30, 1.0 / 30);
  on.seen.learn(p, 1);
  read->seen.learn(p, 1);
  EXPECT_EQ(parts(read->seen), parts(on.seen));
}

TEST_P(SnapshotStorage, KeepsStatisticsByNameInAnyOrder) {
  const Snapshot saved = snapshot(5, GetParam());
  const adapt::Cooccurrence mapped = saved.for_labels({"new", "label 4", "label 0", "label 2"});
  EXPECT_EQ(adapt::rows_of(std::vector<std::string>{"new", "label 4"}, saved.labels), (std::vector{-1, 4}));
  EXPECT_EQ(mapped.samples(), saved.seen.samples());
  EXPECT_EQ(mapped.single()[0], 0);
  EXPECT_EQ(mapped.single()[1], saved.seen.single()[4]);
  EXPECT_NEAR(mapped.pair(1, 2), saved.seen.pair(4, 0), 1e-9);
  EXPECT_NEAR(mapped.pair(3, 3), saved.seen.pair(2, 2), 1e-9);
  EXPECT_EQ(mapped.pair(0, 1), 0);
}

TEST_P(SnapshotStorage, ConvertsToTheOtherStorage) {
  const std::size_t here = GetParam() == Storage::kDense ? 20 : adapt::kDenseLabels + 20;
  const std::size_t there = GetParam() == Storage::kDense ? adapt::kDenseLabels + 1 : 20;
  const Snapshot saved = snapshot(here, Storage::kAuto);
  const Result<Snapshot> read = decode_snapshot(encode_snapshot(saved));
  ASSERT_TRUE(read) << read.error().message;
  const adapt::Cooccurrence mapped = read->for_labels(names(there));
  EXPECT_NE(mapped.parts().dense, saved.seen.parts().dense);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(mapped.single()[i], saved.seen.single()[i]);
    for (std::size_t j = 0; j < 20; ++j) EXPECT_NEAR(mapped.pair(i, j), saved.seen.pair(i, j), 1e-3);
  }
  // The result is as good a snapshot as any.
  const Result<Snapshot> again = decode_snapshot(encode_snapshot(Snapshot{"", names(there), mapped}));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(parts(again->seen), parts(mapped));
}

// Dropped labels leave the others with counts that no pair accounts for.
TEST(Snapshot, IsReadAgainAfterManyChangesOfStorage) {
  Snapshot saved = snapshot(12, Storage::kDense);
  for (const std::size_t labels :
       {std::size_t{3}, adapt::kDenseLabels + 3, std::size_t{2}, adapt::kDenseLabels + 5, std::size_t{2}}) {
    saved = {"", names(labels), saved.for_labels(names(labels))};
    const Result<Snapshot> read = decode_snapshot(encode_snapshot(saved));
    ASSERT_TRUE(read) << labels << ": " << read.error().message;
    EXPECT_EQ(read->seen.parts().eras, saved.seen.parts().eras);
    for (std::size_t i = 0; i < 3 && i < labels; ++i) {
      for (std::size_t j = 0; j <= i; ++j) EXPECT_NEAR(read->seen.pair(i, j), saved.seen.pair(i, j), 1e-6);
    }
  }
}

TEST_P(SnapshotStorage, ReadsAndWritesTheFileOfVersionOne) {
  const std::string path = kPriors + (GetParam() == Storage::kDense ? "dense.prior" : "sparse.prior");
  const std::string bytes = test::read(path);
  EXPECT_EQ(encode_snapshot(golden(GetParam())), bytes);
  const Result<Snapshot> read = load_snapshot(path);
  ASSERT_TRUE(read) << read.error().message;
  expect_equal(*read, golden(GetParam()));
  EXPECT_EQ(read->seen.samples(), 1.75);
  EXPECT_EQ(read->seen.single()[3], 0.25 + 1.0 / 8192);
}

TEST_P(SnapshotStorage, ReadsAndWritesTheFileOfVersionTwo) {
  const std::string path = kPriors + (GetParam() == Storage::kDense ? "later-dense.prior" : "later-sparse.prior");
  EXPECT_EQ(encode_snapshot(later(GetParam())), test::read(path));
  const Result<Snapshot> read = load_snapshot(path);
  ASSERT_TRUE(read) << read.error().message;
  expect_equal(*read, later(GetParam()));
  EXPECT_EQ(read->seen.since(0, 1).samples, 1.875);
  EXPECT_EQ(read->seen.since(0, 3).samples, 1.5);
}

TEST(Snapshot, ReadsAndWritesTheFileOfVersionThree) {
  const std::string path = kPriors + "taught.prior";
  EXPECT_EQ(encode_snapshot(taught(Storage::kDense)), test::read(path));
  const Result<Snapshot> read = load_snapshot(path);
  ASSERT_TRUE(read) << read.error().message;
  expect_equal(*read, taught(Storage::kDense));
}

TEST_P(SnapshotStorage, ReadsAndWritesTheFileOfVersionFour) {
  const std::string path = kPriors + (GetParam() == Storage::kDense ? "whole-dense.prior" : "whole-sparse.prior");
  EXPECT_EQ(encode_snapshot(whole(GetParam())), test::read(path));
  const Result<Snapshot> read = load_snapshot(path);
  ASSERT_TRUE(read) << read.error().message;
  expect_equal(*read, whole(GetParam()));
}

// A later program may add sections.
TEST(Snapshot, SkipsSectionsThatItDoesNotKnow) {
  std::string bytes = encode_snapshot(whole(Storage::kDense));
  const std::size_t tag = bytes.find("ORIG");
  bytes.replace(tag, 4, "NEXT");
  const Result<Snapshot> read = decode_snapshot(sealed(bytes));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->origins.empty());
  EXPECT_EQ(parts(read->seen), parts(whole(Storage::kDense).seen));
}

TEST(Snapshot, RefusesInvalidCorrections) {
  const auto refused = [](auto change) {
    decide::Taught::Parts parts = taught(Storage::kDense).taught.parts();
    change(parts);
    Snapshot snapshot = golden(Storage::kDense);
    snapshot.taught = decide::Taught(std::move(parts));
    const Result<Snapshot> read = decode_snapshot(encode_snapshot(snapshot));
    return read ? std::string("accepted") : read.error().message;
  };
  EXPECT_EQ(refused([](auto& p) { p.g_variance = 0; }), "is damaged: the offset of all labels is not a valid number");
  EXPECT_EQ(refused([](auto& p) { p.offsets["dog"].mean = std::nan(""); }),
            "is damaged: the offset of dog is not a valid number");
  EXPECT_EQ(refused([](auto& p) { p.mass["dog"] = -1; }),
            "is damaged: the count of dog is not a number from 0 to 1e30");
  for (const double large : {1e31, 1e308}) {
    EXPECT_EQ(refused([&](auto& p) { p.g = -large; }), "is damaged: the offset of all labels is not a valid number");
    EXPECT_EQ(refused([&](auto& p) { p.offsets["dog"].mean = large; }),
              "is damaged: the offset of dog is not a valid number");
    EXPECT_EQ(refused([&](auto& p) { p.offsets["dog"].variance = 1 / large; }),
              "is damaged: the offset of dog is not a valid number");
    EXPECT_EQ(refused([&](auto& p) { p.mass["dog"] = large; }),
              "is damaged: the count of dog is not a number from 0 to 1e30");
  }
  EXPECT_EQ(refused([](auto& p) { p.mass[""] = 1; }), "is damaged: a name in its anchors is not valid text");
}

TEST(Snapshot, ReportsWhatIsWrong) {
  const std::string dense = encode_snapshot(golden(Storage::kDense)),
                    sparse = encode_snapshot(golden(Storage::kSparse));
  constexpr std::size_t kFlags = 12, kCount = 24, kModel = 28, kPairs = 32, kSamples = 40, kLabels = 48 + 16;
  const std::size_t values = dense.size() - 4 - 8 * (4 + 10);                           // m, then U
  const std::size_t faint = sparse.size() - 4 - 16 * 9 - 8 * 4, first = faint + 8 * 4;  // r, then the pairs
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();

  expect_damaged(dense.substr(0, 30), "it is truncated, at 30 bytes");
  expect_damaged(dense + "x", "it has " + std::to_string(dense.size() + 1) + " bytes, but its header claims " +
                                  std::to_string(dense.size()));
  expect_damaged(with(dense, kFlags, std::uint32_t{4}), "it has unknown flags");
  expect_damaged(with(dense, 8, std::uint32_t{0}), "its version is 0");
  expect_damaged(with(dense, kCount, std::uint32_t{0xFFFFFFFF}), "its sizes exceed the limits");
  expect_damaged(with(dense, kModel, std::uint32_t{0xFFFFFFFF}), "its sizes exceed the limits");
  expect_damaged(with(dense, kModel, std::uint32_t{4000}), "the name of its model is not valid text");
  expect_damaged(with(dense, kCount, std::uint32_t{3}), "its labels and pairs do not match its length");
  expect_damaged(with(dense, kPairs, std::uint64_t{9}), "its labels and pairs do not match its length");
  expect_damaged(with(sparse, kPairs, std::uint64_t{1} << 60), "its labels and pairs do not match its length");
  expect_damaged(with(sparse, kPairs, ~std::uint64_t{0}), "its labels and pairs do not match its length");
  expect_damaged(with(dense, kLabels, std::uint32_t{5000}), "label number 0 is longer than a label may be");
  expect_damaged(with(dense, kLabels, std::uint32_t{4000}), "it ends inside its labels");
  expect_damaged(with(dense, kLabels + 4, std::uint32_t{0xFFFFFFFF}), "label number 0 is not valid text");
  for (const double wrong : {nan, infinity, -1.0}) {
    expect_damaged(with(dense, kSamples, wrong), "its sample count is not a number from 0 to 1e30");
    expect_damaged(with(dense, values, wrong), "label number 0 has an invalid count");
    expect_damaged(with(dense, values + 8 * (4 + 1), wrong), "labels number 1 and 0 have an invalid count together");
    expect_damaged(with(sparse, faint, wrong), "the faint part of label number 0 has an invalid count");
    expect_damaged(with(sparse, first + 8, wrong), "labels number 0 and 0 have an invalid count together");
  }
  expect_damaged(with(dense, kSamples, 1e31), "its sample count is not a number from 0 to 1e30");
  expect_damaged(with(dense, values + 8, 1.7), "its label counts exceed its sample count");
  expect_damaged(with(dense, kSamples, 0.5), "label number 0 has an invalid count");
  expect_damaged(with(dense, values + 8 * (4 + 1), 0.9), "labels number 1 and 0 have an invalid count together");
  expect_damaged(with(sparse, first, std::uint32_t{7}), "its pairs are out of order");
  expect_damaged(with(sparse, first + 4, std::uint32_t{2}), "its pairs are out of order");
  expect_damaged(with(sparse, first + 4, std::uint32_t{4}), "its pairs are out of order");

  const std::string two = encode_snapshot(later(Storage::kDense));
  const std::size_t eras = two.size() - 4 - 8 * 5 - 4 * 5;  // their number, the era of each label, then n and m
  expect_damaged(with(two, eras, std::uint32_t{0}), "its eras do not match its length");
  expect_damaged(with(two, eras, std::uint32_t{2}), "its eras do not match its length");
  expect_damaged(with(two, eras, ~std::uint32_t{0}), "its eras do not match its length");
  expect_damaged(with(dense, 8, std::uint32_t{2}), "its labels and pairs do not match its length");
  expect_damaged(with(two, 8, std::uint32_t{1}), "its labels and pairs do not match its length");
  expect_damaged(with(two, eras + 4, std::uint32_t{2}), "label number 0 belongs to a missing era");
  expect_damaged(with(two, eras + 4, std::uint32_t{1}), "labels number 2 and 0 have an invalid count together");
  expect_damaged(with(two, eras + 20, 2.0), "its eras are out of order");
  expect_damaged(with(two, eras + 28, nan), "label number 0 has an invalid count");
  Snapshot early = later(Storage::kDense);
  adapt::Cooccurrence::Parts parts = early.seen.parts();
  parts.eras[1] = {0, {1e-10, 0, 0, 0}, {}};
  for (std::size_t j = 6; j < 10; ++j) parts.triangle[j] = 0;
  early.seen = adapt::Cooccurrence(parts);
  expect_damaged(encode_snapshot(early), "label number 0 has an invalid count");

  Snapshot same = golden(Storage::kDense);
  same.labels[1] = same.labels[0];
  expect_damaged(encode_snapshot(same), "label number 1 occurs twice");
  same.labels[1] = "";
  expect_damaged(encode_snapshot(same), "label number 1 is not valid text");
}

TEST(Snapshot, ReportsOtherFilesAndNewerVersions) {
  const std::string dense = encode_snapshot(golden(Storage::kDense));
  for (const std::string& other : {std::string(), std::string("hello"), std::string(4096, '\0')}) {
    const Result<Snapshot> read = decode_snapshot(other);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message, "is not a prior of gst-bcp: it does not begin with BCPPRIOR");
  }
  // Only the version of a newer format is known, not even its checksum.
  std::string newer = dense;
  newer[8] = 5;
  const Result<Snapshot> read = decode_snapshot(newer);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(read.error().message,
            "was written by a newer gst-bcp: its format version is 5, but this one reads up to 4");
}

// A valid file must never lead to NaN or infinity.
TEST_P(SnapshotStorage, WithTinyCountsCorrectsNothing) {
  for (const double tiny : {std::numeric_limits<double>::denorm_min(), 1e-310, 1e-300}) {
    Snapshot odd = golden(GetParam());
    adapt::Cooccurrence::Parts seen = odd.seen.parts();
    seen.eras[0] = {tiny, {0, tiny, 0, 0}, std::vector<double>(seen.dense ? 0 : 4, 0.0)};
    seen.triangle.assign(seen.triangle.size(), 0);
    seen.stored.clear();
    for (const double samples : {tiny, 100.0}) {
      seen.eras[0].samples = samples;
      odd.seen = adapt::Cooccurrence(seen);
      const Result<Snapshot> read = decode_snapshot(encode_snapshot(odd));
      ASSERT_TRUE(read) << read.error().message;
      adapt::Bcp bcp(read->seen, false);
      for (const double shrinkage : {0.0, 5.0}) {
        adapt::Scores scores;
        ASSERT_TRUE(bcp.correct(std::vector{1.0, 9.0, 2.0, 3.0}, {.shrinkage = shrinkage}, scores));
        for (const double p : scores.probability) EXPECT_TRUE(p >= 0 && p <= 1) << p << " of " << tiny;
        ASSERT_TRUE(bcp.correct(std::vector{9.0, 1.0, 2.0, 3.0}, {.shrinkage = shrinkage}, scores));
        for (const double p : scores.probability) EXPECT_TRUE(p >= 0 && p <= 1) << p << " of " << tiny;
      }
    }
    seen.eras[0] = {100, {50, tiny, 0, 0}, seen.eras[0].faint};
    adapt::Bcp bcp(adapt::Cooccurrence(seen), false);
    adapt::Scores scores;
    ASSERT_TRUE(bcp.correct(std::vector{9.0, 1.0, 2.0, 3.0}, {}, scores));
    for (const double p : scores.probability) EXPECT_TRUE(p >= 0 && p <= 1) << p << " of " << tiny;
  }
}

TEST(Snapshot, AcceptsRounding) {
  Snapshot rounded = golden(Storage::kDense);
  adapt::Cooccurrence::Parts seen = rounded.seen.parts();
  std::vector<double>& single = seen.eras[0].single;
  single = {std::nextafter(seen.eras[0].samples, 9), 0, 0, 0};
  seen.triangle.assign(10, 0);
  seen.triangle[0] = std::nextafter(single[0], 9);
  rounded.seen = adapt::Cooccurrence(seen);
  EXPECT_TRUE(decode_snapshot(encode_snapshot(rounded)));
}

TEST(SnapshotFile, IsReplacedWholeAndReadBack) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.prior";
  ASSERT_TRUE(save_snapshot(path, snapshot(4, Storage::kDense)));
  ASSERT_TRUE(save_snapshot(path, golden(Storage::kSparse)));
  const Result<Snapshot> read = load_snapshot(path);
  ASSERT_TRUE(read) << read.error().message;
  expect_equal(*read, golden(Storage::kSparse));
  EXPECT_EQ(test::files_in(directory.path()), 1u);
}

TEST(SnapshotFile, IsNamedInEveryErrorWithAdvice) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.prior";
  const auto error = [&] {
    const Result<Snapshot> read = load_snapshot(path);
    EXPECT_FALSE(read);
    return read ? Error{} : read.error();
  };
  EXPECT_EQ(error().code, ErrorCode::kNotFound);
  EXPECT_NE(error().message.find(path), std::string::npos);

  const std::string bytes = encode_snapshot(golden(Storage::kDense));
  test::write(path, bytes.substr(0, 100));
  EXPECT_EQ(error().message, path + " is damaged: it has 100 bytes, but its header claims " +
                                 std::to_string(bytes.size()) +
                                 " (restore a copy of it, or move it away to start again)");
  std::string newer = bytes;
  newer[8] = 9;
  test::write(path, newer);
  EXPECT_EQ(error().message, path +
                                 " was written by a newer gst-bcp: its format version is 9, but this one reads up to 4 "
                                 "(update gst-bcp, or use another file)");
  EXPECT_EQ(test::read(path), newer);

  const Status saved = save_snapshot(directory / "none/a.prior", golden(Storage::kDense));
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().message.find("none/a.prior"), std::string::npos);
}

}  // namespace
}  // namespace bcp::prior
