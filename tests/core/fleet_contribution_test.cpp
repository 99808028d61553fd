// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The value of a node's key, and the entries of the index: what is written is read, and nothing else.

#include "fleet/contribution.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <random>

#include "base/crc32.hpp"
#include "base/file.hpp"
#include "fleet/index.hpp"
#include "fleet/siblings.hpp"
#include "prior/bytes.hpp"

namespace bcp::fleet {
namespace {

const std::string kSession = "0123456789abcdef0123456789abcdef";

prior::SnapshotParts parts_of(std::size_t labels, int frames, unsigned seed) {
  std::mt19937 random(seed);
  std::exponential_distribution<double> value(1);
  adapt::Cooccurrence seen(labels);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < labels; ++k) names.push_back("label " + std::to_string(k));
  for (int i = 0; i < frames; ++i) {
    std::vector<double> p(labels);
    double sum = 0;
    for (double& each : p) sum += each = std::pow(value(random), 6);
    for (double& each : p) each /= sum;
    seen.learn(p, 0.999);
  }
  return {.model = "m", .labels = names, .seen = seen.parts(), .settled = true};
}

TEST(FleetContribution, KeepsTwentyFourBitsOfEachNumber) {
  for (const std::size_t labels : {3U, 80U, 2100U}) {
    const prior::SnapshotParts parts = parts_of(labels, 40, 1);
    const auto value = pack({kSession, 7}, parts);
    ASSERT_TRUE(value);
    const auto read = unpack(*value);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->stamp, (Stamp{kSession, 7}));
    EXPECT_EQ(read->content.labels, parts.labels);
    EXPECT_TRUE(read->content.settled);
    const adapt::Cooccurrence before(parts.seen);
    for (std::size_t k = 0; k < labels; ++k) {
      EXPECT_NEAR(read->content.seen.single()[k], before.single()[k], 1e-7 * before.single()[k]);
      const double pair = before.pair(k, labels - 1);
      EXPECT_NEAR(read->content.seen.pair(k, labels - 1), pair, 1e-6 * pair);
    }
    if (labels >= 80) {
      EXPECT_LT(value->size(), 0.7 * static_cast<double>(read->unpacked));
    }
  }
}

TEST(FleetContribution, RefusesEveryTruncationAndRandomCorruption) {
  const std::string value = *pack({kSession, 1}, parts_of(5, 20, 2));
  for (std::size_t size = 0; size < value.size(); ++size) EXPECT_FALSE(unpack(value.substr(0, size))) << size;
  std::mt19937 random(3);
  for (int i = 0; i < 10'000; ++i) {
    std::string wrong = value;
    const std::size_t changes = 1 + random() % 4;
    for (std::size_t c = 0; c < changes; ++c) wrong[random() % wrong.size()] ^= static_cast<char>(1 + random() % 255);
    if (wrong != value) {
      EXPECT_FALSE(unpack(wrong));
    }
  }
  for (int i = 0; i < 2'000; ++i) {
    std::string garbage(random() % 300, '\0');
    for (char& each : garbage) each = static_cast<char>(random());
    EXPECT_FALSE(unpack(garbage));
    EXPECT_FALSE(unpack("BCPFLEET" + garbage));
  }
}

// The snapshot in a value, and a value with this snapshot: both checksums are right, as an attacker would write them.
std::string bytes_in(std::string_view value) {
  std::string ordered(prior::number_at<std::uint64_t>(value, 52), '\0');
  auto size = static_cast<uLongf>(ordered.size());
  uncompress(reinterpret_cast<Bytef*>(ordered.data()), &size, reinterpret_cast<const Bytef*>(value.data() + 60),
             static_cast<uLong>(value.size() - 64));
  const std::size_t words = ordered.size() / 8;
  std::string plain = ordered;
  for (std::size_t i = 0; i < words * 8; ++i) plain[i] = ordered[i % 8 * words + i / 8];
  return plain;
}

std::string sealed_value(std::string snapshot) {
  const auto append_sum = [](std::string& bytes) {
    const std::uint32_t sum = crc32(bytes);
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(sum >> (8 * i) & 0xFF);
  };
  snapshot.resize(snapshot.size() - 4);
  append_sum(snapshot);
  const std::size_t words = snapshot.size() / 8;
  std::string ordered = snapshot;
  for (std::size_t i = 0; i < words * 8; ++i) ordered[i % 8 * words + i / 8] = snapshot[i];
  uLongf size = compressBound(static_cast<uLong>(ordered.size()));
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(ordered.data()),
            static_cast<uLong>(ordered.size()), 1);
  prior::Writer writer(ordered.size() + 64);
  writer.text("BCPFLEET");
  writer.number(std::uint32_t{1});
  writer.text(kSession);
  writer.number(std::uint64_t{1});
  writer.number(static_cast<std::uint64_t>(snapshot.size()));
  writer.text(std::string_view(packed).substr(0, size));
  std::string value = std::move(writer).take();
  append_sum(value);
  return value;
}

TEST(FleetContribution, SurvivesHarmfulNumbersWithRightChecksums) {
  const prior::SnapshotParts parts = parts_of(5, 20, 2);
  const std::string snapshot = bytes_in(*pack({kSession, 1}, parts));
  ASSERT_TRUE(unpack(sealed_value(snapshot)));
  std::mt19937 random(5);
  int accepted = 0;
  for (int i = 0; i < 5'000; ++i) {
    std::string harmful = snapshot;
    const std::size_t at = random() % (harmful.size() - 12);
    const std::uint64_t kinds[] = {
        0, ~std::uint64_t{0}, 0x7FF0000000000000, 0xFFF8000000000000, 0x8000000000000000, 0x7FEFFFFFFFFFFFFF, random()};
    const std::uint64_t bits = kinds[random() % std::size(kinds)];
    for (std::size_t b = 0; b < 1 + random() % 8; ++b) harmful[at + b] = static_cast<char>(bits >> (8 * b));
    auto read = unpack(sealed_value(harmful));
    if (!read) continue;
    ++accepted;
    Siblings siblings;
    siblings.set("x", "value", *std::move(read));
    const auto sum = siblings.sum_for(parts.labels);
    if (!sum) continue;
    for (const double m : sum->seen.single()) EXPECT_TRUE(std::isfinite(m) && m >= 0);
  }
  EXPECT_LT(accepted, 4'000);
}

// Nodes of several versions may be in one fleet.
TEST(FleetContribution, ReadsTheValuesOfEveryVersion) {
  const auto value = read_file(std::string(BCP_TEST_DATA) + "/fleet/version-1.value", kMostValue);
  ASSERT_TRUE(value);
  const auto read = unpack(*value);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->stamp.number, 2U);
  EXPECT_EQ(read->content.labels, (std::vector<std::string>{"person", "car", "bicycle", "bottle", "street"}));
  EXPECT_EQ(read->content.seen.samples(), 226);
}

TEST(FleetContribution, RefusesNodesThatAreTooLarge) {
  std::string value(kMostValue + 1, 'x');
  value.replace(0, 8, "BCPFLEET");
  EXPECT_FALSE(unpack(value));
}

TEST(FleetIndex, ReadsItsOwnEntriesOnly) {
  const Entry entry{{kSession, 12}, 1'700'000'000, 3600, true};
  EXPECT_EQ(parse_entry(to_text(entry)), entry);
  EXPECT_TRUE(entry.is_expired(1'700'003'601));
  EXPECT_FALSE(entry.is_expired(1'700'003'600));
  for (const std::string& text : std::vector<std::string>{
           "", "1", "2 " + kSession + " 1 2 3 here", "1 " + kSession + " 1 2 3", "1 " + kSession + " 1 2 3 gone",
           "1 " + kSession + " -1 2 3 here", "1 " + kSession + " 1 2 99999999999 here", "1 short 1 2 3 here",
           "1 " + kSession + " 1 2 3 here more"})
    EXPECT_FALSE(parse_entry(text)) << text;
}

}  // namespace
}  // namespace bcp::fleet
