// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/graph_cache.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "clip/model.hpp"
#include "toy_bundle.hpp"

namespace bcp::clip {
namespace {

namespace fs = std::filesystem;

constexpr onnx::SessionOptions kCpu{.provider = onnx::Provider::kCpu, .threads = 1};

class GraphCacheTest : public testing::Test {
 protected:
  fs::path graphs() const { return fs::path(directory_.path()) / "cache" / "gst-bcp" / "graphs"; }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> found;
    std::error_code missing;
    for (fs::directory_iterator each(graphs(), missing), end; !missing && each != end; ++each)
      found.push_back(each->path());
    return found;
  }
  // An entry as commit() would create it.
  void fill(GraphCache& cache, const std::string& graph = "graph") {
    const std::string path = cache.begin(1000);
    ASSERT_NE(path, "");
    test::write(path, graph);
    test::write(path + ".data", "weights");
    cache.commit();
  }
  // An entry with this size and time of last use. Its file has holes and takes no disk space.
  void fake(const std::string& name, std::uintmax_t bytes, std::chrono::hours ago) {
    fs::create_directories(graphs() / name);
    test::write((graphs() / name / "sha256.json").string(), "{}");
    test::write((graphs() / name / "model.onnx").string(), "");
    fs::resize_file(graphs() / name / "model.onnx", bytes);
    fs::last_write_time(graphs() / name / "sha256.json", fs::file_time_type::clock::now() - ago);
  }

  test::TemporaryDirectory directory_;
  test::EnvironmentVariable cache_{"XDG_CACHE_HOME", directory_.path() + "/cache"};
};

std::vector<float> embedding(Model& model) {
  std::vector<float> found(static_cast<std::size_t>(model.encoder().embedding_size()));
  EXPECT_TRUE(model.encoder().encode(test_picture(0, model.bundle().tensor), 1, found));
  return found;
}

TEST_F(GraphCacheTest, FindsWhatWasCommitted) {
  GraphCache cache("a model");
  EXPECT_EQ(cache.find(), "");
  fill(cache);
  const std::string path = cache.find();
  EXPECT_EQ(test::read(path), "graph");
  EXPECT_EQ(test::read(path + ".data"), "weights");
  EXPECT_EQ(GraphCache("another model").find(), "");
}

TEST_F(GraphCacheTest, RemovesUncommittedEntries) {
  {
    GraphCache cache("a model");
    test::write(cache.begin(1000), "half a gra");
    EXPECT_EQ(entries().size(), 1u);
  }
  EXPECT_TRUE(entries().empty());
}

TEST_F(GraphCacheTest, RemovesAnEntryWithADamagedFile) {
  for (const char* file : {"model.onnx", "model.onnx.data", "sha256.json"}) {
    for (const bool is_missing : {false, true}) {
      GraphCache cache("a model");
      fill(cache);
      const fs::path victim = fs::path(cache.find()).parent_path() / file;
      if (is_missing)
        fs::remove(victim);
      else
        test::write(victim.string(), "damaged");
      EXPECT_EQ(cache.find(), "") << file;
      EXPECT_TRUE(entries().empty()) << file;
    }
  }
}

TEST_F(GraphCacheTest, KeepsTheEntryOfAFasterProcess) {
  GraphCache first("a model"), second("a model");
  test::write(second.begin(1000), "slower");
  fill(first, "quicker");
  second.commit();
  EXPECT_EQ(test::read(first.find()), "quicker");
}

TEST_F(GraphCacheTest, MakesRoomByRemovingTheLeastRecentlyUsed) {
  constexpr std::uintmax_t kPart = GraphCache::kMaxBytes / 4 - 1000;  // an entry has other files too
  fake("old", kPart, std::chrono::hours(30));
  fake("older", kPart, std::chrono::hours(50));
  fake("newer", kPart, std::chrono::hours(2));
  GraphCache cache("a model");
  if (cache.begin(2 * kPart).empty()) return;  // a disk with less than 4 GB left: nothing is cached
  EXPECT_FALSE(fs::exists(graphs() / "older"));
  EXPECT_TRUE(fs::exists(graphs() / "old"));
  EXPECT_TRUE(fs::exists(graphs() / "newer"));
}

TEST_F(GraphCacheTest, DoesNotKeepAModelThatWouldFillIt) {
  GraphCache cache("a model");
  EXPECT_EQ(cache.begin(GraphCache::kMaxBytes / 2 + 1), "");
}

TEST_F(GraphCacheTest, RemovesTemporaryDirectoriesThatWereAbandoned) {
  fs::create_directories(graphs() / "gone.1.0.tmp");
  fs::last_write_time(graphs() / "gone.1.0.tmp", fs::file_time_type::clock::now() - std::chrono::hours(2));
  fs::create_directories(graphs() / "at-work.2.0.tmp");
  GraphCache cache("a model");
  ASSERT_NE(cache.begin(1), "");
  EXPECT_FALSE(fs::exists(graphs() / "gone.1.0.tmp"));
  EXPECT_TRUE(fs::exists(graphs() / "at-work.2.0.tmp"));
}

TEST_F(GraphCacheTest, HoldsTheModelAfterItWasOpenedOnce) {
  test::ToyBundle bundle;
  const auto first = Model::open(bundle.path(), kCpu);
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_TRUE(fs::exists(entries().front() / "model.onnx"));
  const auto second = Model::open(bundle.path(), kCpu);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(embedding(**first), embedding(**second));
}

// The result shows that the entry was tried.
TEST_F(GraphCacheTest, IsWrittenAgainWhenItsModelDoesNotLoad) {
  test::ToyBundle bundle;
  ASSERT_TRUE(Model::open(bundle.path(), kCpu));
  const fs::path entry = entries().front();
  const std::string sound = test::read((entry / "model.onnx").string());
  test::write((entry / "model.onnx").string(), "no graph");
  nlohmann::json sums = nlohmann::json::parse(test::read((entry / "sha256.json").string()));
  sums["model.onnx"] = *sha256("no graph");
  test::write((entry / "sha256.json").string(), sums.dump());
  const auto model = Model::open(bundle.path(), kCpu);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(test::read((entry / "model.onnx").string()), sound);
}

TEST_F(GraphCacheTest, IsOptional) {
  const test::EnvironmentVariable nowhere("XDG_CACHE_HOME", "/proc/none");
  test::ToyBundle bundle;
  for (int start = 0; start < 2; ++start) EXPECT_TRUE(Model::open(bundle.path(), kCpu));
}

}  // namespace
}  // namespace bcp::clip
