// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Damaged snapshots: every truncation and every corruption is refused, in files of every version, and nothing else
// happens.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "common/temporary.hpp"
#include "prior/file.hpp"
#include "prior_snapshots.hpp"

namespace bcp::prior {
namespace {

std::vector<std::string> every_version(Storage storage) {
  return {encode_snapshot(golden(storage)), encode_snapshot(later(storage)), encode_snapshot(taught(storage)),
          encode_snapshot(whole(storage))};
}

class SnapshotDamage : public testing::TestWithParam<Storage> {};
INSTANTIATE_TEST_SUITE_P(Snapshot, SnapshotDamage, testing::Values(Storage::kDense, Storage::kSparse),
                         [](const auto& of) { return of.param == Storage::kDense ? "Dense" : "Sparse"; });

TEST_P(SnapshotDamage, HasFilesOfEveryVersion) {
  std::vector<int> versions;
  for (const std::string& bytes : every_version(GetParam())) versions.push_back(bytes[8]);
  EXPECT_EQ(versions, (std::vector{1, 2, 3, 4}));
}

TEST_P(SnapshotDamage, IsRefusedWhenTruncatedAnywhere) {
  for (const std::string& bytes : every_version(GetParam())) {
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      EXPECT_FALSE(decode_snapshot(bytes.substr(0, length))) << length;
    }
    EXPECT_FALSE(decode_snapshot(bytes + '\0'));
    EXPECT_FALSE(decode_snapshot(bytes + bytes));
  }
}

TEST_P(SnapshotDamage, IsRefusedWithAnyByteChanged) {
  for (const std::string& bytes : every_version(GetParam())) {
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (const int change : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
        std::string other = bytes;
        other[at] = static_cast<char>(other[at] ^ change);
        ASSERT_FALSE(decode_snapshot(other)) << at << " ^ " << change;
      }
    }
  }
}

// The checksum does not protect against malicious files: each number is checked too.
TEST_P(SnapshotDamage, IsRefusedOrValidWithAnyByteChangedAndACorrectChecksum) {
  for (const std::string& bytes : every_version(GetParam())) {
    for (std::size_t at = 0; at + 4 < bytes.size(); ++at) {
      for (const int change : {0x01, 0x10, 0x40, 0x80, 0xFF}) {
        std::string other = bytes;
        other[at] = static_cast<char>(other[at] ^ change);
        other = sealed(other);
        const Result<Snapshot> read = decode_snapshot(other);
        if (!read) continue;
        // Of version 4, a changed section may be one of a later program. Sparse statistics have floats in memory.
        if (other[8] < 4 && GetParam() == Storage::kDense) {
          ASSERT_EQ(encode_snapshot(*read), other) << at << " ^ " << change;
        }
        for (std::size_t i = 0; i < 4; ++i) {
          ASSERT_LE(read->seen.single()[i], read->seen.samples() * 1.000001 + 1e-8);
          for (std::size_t j = 0; j < 4; ++j) ASSERT_GE(read->seen.pair(i, j), 0);
        }
      }
    }
  }
}

// Larger files, and changes of several bytes: bits, runs, swapped and moved parts.
TEST_P(SnapshotDamage, IsRefusedInTenThousandRandomCases) {
  Snapshot large = snapshot(120, GetParam(), 0.99);
  large.taught = taught(GetParam()).taught;
  large.origins = whole(GetParam()).origins;
  const std::string bytes = encode_snapshot(large);
  std::mt19937 random(3);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  for (int i = 0; i < 10'000; ++i) {
    std::string other = bytes;
    switch (below(5)) {
      case 0:
        other[below(other.size())] ^= static_cast<char>(1 << below(8));
        break;
      case 1:
        for (std::size_t at = below(other.size()), end = std::min(other.size(), at + 1 + below(200)); at < end; ++at)
          other[at] = static_cast<char>(random());
        break;
      case 2:
        other.erase(below(other.size()), 1 + below(64));
        break;
      case 3:
        other.insert(below(other.size()), 1 + below(64), static_cast<char>(random()));
        break;
      default:  // the rest was never written
        other.replace(below(other.size()), std::string::npos, "");
        other.resize(bytes.size(), '\0');
    }
    if (other == bytes) continue;
    const Result<Snapshot> read = decode_snapshot(other);
    ASSERT_FALSE(read) << i;
    ASSERT_FALSE(read.error().message.empty());
  }
}

// The file stays as it is: it may be repaired, or of a newer version.
TEST_P(SnapshotDamage, IsReportedAndTheFileIsLeftInPlace) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.prior", bytes = encode_snapshot(whole(GetParam()));
  for (std::size_t length = 0; length < bytes.size(); length += 7) {
    test::write(path, bytes.substr(0, length));
    auto file = PriorFile::open(path, PriorMode::kReadWrite, "test", "0123456789abcdef");
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE((*file)->refused().has_value()) << length;
    EXPECT_EQ((*file)->refused()->message.find(path), 0u);
    EXPECT_FALSE((*file)->take_loaded());
    EXPECT_EQ(test::read(path), bytes.substr(0, length));
  }
}

}  // namespace
}  // namespace bcp::prior
