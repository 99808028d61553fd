// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/sha256.hpp"
#include "clip/bundle/checksum_cache.hpp"
#include "common/temporary.hpp"

namespace bcp::clip {
namespace {

namespace fs = std::filesystem;
using test::EnvironmentVariable;
using test::TemporaryDirectory;

class ChecksumCache : public testing::Test {
 protected:
  void SetUp() override { put("one", std::chrono::hours(1)); }
  // Files changed within the last two seconds are not cached.
  static void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(2100)); }
  void put(const std::string& bytes, std::chrono::seconds age) {
    test::write(file, bytes);
    fs::last_write_time(file, fs::file_time_type::clock::now() - age);
  }
  // Puts a wrong hash into the cache, to see whether it is used.
  void forge() {
    auto entries = nlohmann::json::parse(test::read(cache));
    for (auto& [path, entry] : entries.items()) entry["sha256"] = forged;
    test::write(cache, entries.dump());
  }

  TemporaryDirectory root;
  EnvironmentVariable home{"XDG_CACHE_HOME", root / "cache"};
  const std::string file = root / "model", cache = root / "cache/gst-bcp/checksums.json";
  const std::string forged = std::string(64, 'f');
};

TEST_F(ChecksumCache, DoesNotReadAnUnchangedFile) {
  wait();
  EXPECT_EQ(*cached_sha256(file), *sha256("one"));
  forge();
  EXPECT_EQ(*cached_sha256(file), forged);
}

TEST_F(ChecksumCache, ReadsAgainWhenSizeOrTimeHasChanged) {
  wait();
  ASSERT_TRUE(cached_sha256(file));
  forge();
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_EQ(*cached_sha256(file), *sha256("one"));
  forge();
  const auto time = fs::last_write_time(file);
  test::write(file, "longer");
  fs::last_write_time(file, time);
  EXPECT_EQ(*cached_sha256(file), *sha256("longer"));
}

TEST_F(ChecksumCache, ReadsAgainWhenAnotherFileOfTheSameSizeAndTimeIsInItsPlace) {
  wait();
  ASSERT_EQ(*cached_sha256(file), *sha256("one"));
  ASSERT_TRUE(fs::exists(cache));
  const auto time = fs::last_write_time(file);
  test::write(file, "two");
  fs::last_write_time(file, time);
  EXPECT_EQ(*cached_sha256(file), *sha256("two"));
  test::write(root / "other", "six");
  fs::last_write_time(root / "other", time);
  fs::rename(root / "other", file);
  EXPECT_EQ(*cached_sha256(file), *sha256("six"));
}

TEST_F(ChecksumCache, IgnoresAnIncompleteEntry) {
  wait();
  ASSERT_TRUE(cached_sha256(file));
  forge();
  auto entries = nlohmann::json::parse(test::read(cache));
  for (auto& [path, entry] : entries.items()) entry["file"].erase("inode");
  test::write(cache, entries.dump());
  EXPECT_EQ(*cached_sha256(file), *sha256("one"));
}

TEST_F(ChecksumCache, DoesNotRememberAFileThatMayStillBeChanging) {
  put("one", std::chrono::seconds(0));
  EXPECT_EQ(*cached_sha256(file), *sha256("one"));
  EXPECT_FALSE(fs::exists(cache));
}

TEST_F(ChecksumCache, IsOptionalWhenDamagedOrNotWritable) {
  for (const char* damage : {"", "{", "[]", "{\"x\": 3}", "\xff\xff", "{\"a\": {\"size\": \"x\"}}"}) {
    test::write(cache, damage);
    EXPECT_EQ(*cached_sha256(file), *sha256("one")) << damage;
    EXPECT_EQ(*cached_sha256(file), *sha256("one")) << damage;
  }
  fs::remove_all(root / "cache");
  test::write(root / "cache", "a file where the directory should be");
  EXPECT_EQ(*cached_sha256(file), *sha256("one"));
}

TEST_F(ChecksumCache, ForgetsFilesThatAreGone) {
  wait();
  ASSERT_TRUE(cached_sha256(file));
  const std::string other = root / "other";
  fs::rename(file, other);
  wait();
  ASSERT_TRUE(cached_sha256(other));
  const auto entries = nlohmann::json::parse(test::read(cache));
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_TRUE(entries.begin().key().ends_with("/other"));
}

TEST_F(ChecksumCache, IsNotUsedForAPathThatIsNotUtf8) {
  const std::string odd = root / "caf\xE9";
  fs::rename(file, odd);
  EXPECT_EQ(*cached_sha256(odd), *sha256("one"));
}

}  // namespace
}  // namespace bcp::clip
