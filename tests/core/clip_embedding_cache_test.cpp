// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/embedding_cache.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "common/temporary.hpp"

namespace bcp::clip {
namespace {

// A separate cache directory for these tests.
class EmbeddingCacheTest : public testing::Test {
 protected:
  EmbeddingCacheTest() {
    if (const char* set = std::getenv("XDG_CACHE_HOME")) before_ = set;
    ::setenv("XDG_CACHE_HOME", directory_.path().c_str(), 1);
  }
  ~EmbeddingCacheTest() override { ::setenv("XDG_CACHE_HOME", before_.c_str(), 1); }

  std::string file() const { return directory_ / "gst-bcp/text/model"; }
  static void add(EmbeddingCache& cache, const std::string& text, float first) {
    TextMatrix row(1, 3);
    row << first, 2, 3;
    cache.add(std::span(&text, 1), row);
  }
  static float first(const EmbeddingCache& cache, const std::string& text) {
    const auto row = cache.find(text);
    return row.empty() ? -1 : row[0];
  }

  test::TemporaryDirectory directory_;
  std::string before_;
};

TEST_F(EmbeddingCacheTest, RemembersFromOneStartToTheNext) {
  {
    EmbeddingCache cache("model", 3);
    EXPECT_TRUE(cache.find("a cat").empty());
    add(cache, "a cat", 1);
    add(cache, "", 5);
    EXPECT_EQ(first(cache, "a cat"), 1);
  }
  const EmbeddingCache cache("model", 3);
  EXPECT_EQ(first(cache, "a cat"), 1);
  EXPECT_EQ(first(cache, ""), 5);
  EXPECT_TRUE(cache.find("a dog").empty());
  EXPECT_EQ(cache.find("a cat").size(), 3u);
}

TEST_F(EmbeddingCacheTest, KeepsModelsApart) {
  EmbeddingCache one("model", 3), other("another", 3), wider("model", 4);
  add(one, "a cat", 1);
  EXPECT_TRUE(other.find("a cat").empty());
  EXPECT_TRUE(EmbeddingCache("another", 3).find("a cat").empty());
}

TEST_F(EmbeddingCacheTest, WithoutAnIdentityLeavesNothingBehind) {
  EmbeddingCache cache("", 3);
  add(cache, "a cat", 1);
  EXPECT_EQ(first(cache, "a cat"), 1);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "gst-bcp/text"));
}

TEST_F(EmbeddingCacheTest, LosesOnlyDamagedRecords) {
  {
    EmbeddingCache cache("model", 3);
    for (int i = 0; i < 5; ++i) add(cache, "text " + std::to_string(i), static_cast<float>(i));
  }
  const std::string whole = test::read(file());
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    test::write(file(), whole.substr(0, cut));
    EmbeddingCache cache("model", 3);
    std::size_t known = 0;
    for (int i = 0; i < 5; ++i) {
      const float found = first(cache, "text " + std::to_string(i));
      EXPECT_TRUE(found < 0 || found == static_cast<float>(i)) << cut;
      known += found >= 0;
    }
    EXPECT_EQ(known, cut < 12 ? 0 : (cut - 12) / ((whole.size() - 12) / 5)) << cut;
    add(cache, "new", 7);  // and it is valid again
    EXPECT_EQ(first(EmbeddingCache("model", 3), "new"), 7) << cut;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
    test::write(file(), bytes);
    const EmbeddingCache cache("model", 3);
    for (int i = 0; i < 5; ++i) {
      const float found = first(cache, "text " + std::to_string(i));
      EXPECT_TRUE(found < 0 || found == static_cast<float>(i)) << at;
    }
  }
}

TEST_F(EmbeddingCacheTest, TakesRecordsOfSeveralWritersAtOnce) {
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([writer] {
      EmbeddingCache cache("model", 3);
      for (int i = 0; i < 100; ++i) add(cache, std::to_string(writer) + " " + std::to_string(i), 1);
    });
  }
  for (std::thread& each : writers) each.join();
  const EmbeddingCache cache("model", 3);
  for (int writer = 0; writer < 4; ++writer)
    for (int i = 0; i < 100; ++i)
      ASSERT_EQ(first(cache, std::to_string(writer) + " " + std::to_string(i)), 1) << writer << " " << i;
}

TEST_F(EmbeddingCacheTest, KeepsLongTextsInMemoryOnly) {
  EmbeddingCache cache("model", 3);
  const std::string text(100'000, 'x');
  add(cache, text, 1);
  EXPECT_EQ(first(cache, text), 1);
  EXPECT_TRUE(EmbeddingCache("model", 3).find(text).empty());
}

TEST_F(EmbeddingCacheTest, FollowsNoLinkAndWaitsForNoPipe) {
  test::write(directory_ / "precious", "mine");
  std::filesystem::create_directories(directory_ / "gst-bcp/text");
  std::filesystem::create_symlink(directory_ / "precious", file());
  EmbeddingCache linked("model", 3);
  add(linked, "a cat", 1);
  EXPECT_EQ(test::read(directory_ / "precious"), "mine");
  std::filesystem::remove(file());
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  EmbeddingCache piped("model", 3);
  add(piped, "a cat", 1);
  EXPECT_EQ(first(piped, "a cat"), 1);
}

TEST_F(EmbeddingCacheTest, IsNotAnErrorWhenNotWritable) {
  test::write(directory_ / "gst-bcp", "a file where the directory should be");
  EmbeddingCache cache("model", 3);
  add(cache, "a cat", 1);
  EXPECT_EQ(first(cache, "a cat"), 1);
}

}  // namespace
}  // namespace bcp::clip
