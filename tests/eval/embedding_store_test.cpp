// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "common/temporary.hpp"
#include "eval/embedding_store.hpp"

namespace bcp::eval {
namespace {

using test::TemporaryDirectory;

constexpr std::size_t kWidth = 4, kHeader = 80, kRecord = 32 + kWidth * sizeof(float) + 4;

PictureState picture(int number) {
  return {"picture " + std::to_string(number), 1000 + static_cast<std::uint64_t>(number), 5};
}

std::vector<float> embedding(int number) {
  const float angle = static_cast<float>(number) * 0.01F;
  return {std::cos(angle), std::sin(angle), 0, 0};
}

EmbeddingStore open(const std::string& folder, const std::string& identity = "a model") {
  Result<EmbeddingStore> store = EmbeddingStore::open(folder, identity, kWidth);
  EXPECT_TRUE(store) << store.error().message;
  return *std::move(store);
}

void add(EmbeddingStore& store, int first, int last) {
  for (int i = first; i < last; ++i) ASSERT_TRUE(store.add(picture(i), embedding(i)));
}

int known(const EmbeddingStore& store, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += store.has(picture(i)) ? 1 : 0;
  return sum;
}

// Row r of the stream is the embedding of numbers[r].
void expect_stream(EmbeddingStore& store, const std::vector<int>& numbers) {
  std::vector<PictureState> pictures;
  for (const int number : numbers) pictures.push_back(picture(number));
  const clip::TextMatrix text = clip::TextMatrix::Identity(2, kWidth);
  Result<Stream> stream = store.stream(pictures, text, 100);
  ASSERT_TRUE(stream) << stream.error().message;
  ASSERT_EQ(stream->samples(), numbers.size());
  for (std::size_t r = 0; r < numbers.size(); ++r) {
    const Result<Sample> sample = stream->sample(r);
    ASSERT_TRUE(sample) << sample.error().message;
    EXPECT_NEAR(sample->logits[1], 100.0 * static_cast<double>(embedding(numbers[r])[1]), 1e-4);
  }
}

TEST(EmbeddingStore, GivesRowsInTheRequestedOrderAlsoInALaterRun) {
  const TemporaryDirectory folder;
  {
    EmbeddingStore store = open(folder / "deep/er");
    add(store, 0, 5);
    expect_stream(store, {3, 0, 4});
  }
  EmbeddingStore again = open(folder / "deep/er");
  EXPECT_TRUE(again.note().empty()) << again.note();
  EXPECT_EQ(known(again, 10), 5);
  expect_stream(again, {4, 1});
  EXPECT_EQ(test::read(folder / "deep/er/pictures.txt"), "picture 4\npicture 1\n");
}

TEST(EmbeddingStore, TreatsAChangedPictureAsNew) {
  const TemporaryDirectory folder;
  EmbeddingStore store = open(folder.path());
  add(store, 0, 1);
  PictureState longer = picture(0), later = picture(0);
  ++longer.size;
  ++later.changed;
  EXPECT_TRUE(store.has(picture(0)));
  EXPECT_FALSE(store.has(longer));
  EXPECT_FALSE(store.has(later));
}

TEST(EmbeddingStore, ReadsSizeAndTimeOfAFile) {
  const TemporaryDirectory folder;
  test::write(folder / "a.jpg", "abc");
  const Result<PictureState> before = PictureState::of("a", folder / "a.jpg");
  ASSERT_TRUE(before);
  EXPECT_EQ(before->size, 3U);
  std::filesystem::last_write_time(folder / "a.jpg",
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  const Result<PictureState> after = PictureState::of("a", folder / "a.jpg");
  ASSERT_TRUE(after);
  EXPECT_NE(before->changed, after->changed);
  EXPECT_FALSE(PictureState::of("b", folder / "b.jpg"));
}

TEST(EmbeddingStore, OverwritesATruncatedRecord) {
  const TemporaryDirectory folder;
  {
    EmbeddingStore store = open(folder.path());
    add(store, 0, 3);
  }
  std::filesystem::resize_file(folder / "pictures", kHeader + 2 * kRecord + 7);
  EmbeddingStore store = open(folder.path());
  EXPECT_TRUE(store.note().empty()) << store.note();
  EXPECT_EQ(known(store, 3), 2);
  add(store, 2, 4);
  EXPECT_EQ(std::filesystem::file_size(folder / "pictures"), kHeader + 4 * kRecord);
  expect_stream(store, {0, 1, 2, 3});
}

TEST(EmbeddingStore, LosesOnlyADamagedRecord) {
  const TemporaryDirectory folder;
  {
    EmbeddingStore store = open(folder.path());
    add(store, 0, 3);
  }
  std::string bytes = test::read(folder / "pictures");
  bytes[kHeader + kRecord + 40] ^= 1;
  test::write(folder / "pictures", bytes);
  {
    EmbeddingStore store = open(folder.path());
    EXPECT_NE(store.note().find("1 of 3 embeddings"), std::string::npos) << store.note();
    EXPECT_TRUE(store.has(picture(0)));
    EXPECT_FALSE(store.has(picture(1)));
    EXPECT_TRUE(store.has(picture(2)));
    add(store, 1, 2);
    expect_stream(store, {0, 1, 2});
  }
  EXPECT_TRUE(open(folder.path()).note().empty());  // reported once
}

TEST(EmbeddingStore, StartsAgainWithAnUnknownFile) {
  const TemporaryDirectory folder;
  for (const std::string& bytes : {std::string("nonsense"), std::string(1000, 'x'), std::string(kHeader, '\0')}) {
    test::write(folder / "pictures", bytes);
    EmbeddingStore store = open(folder.path());
    EXPECT_NE(store.note().find("was damaged"), std::string::npos);
    add(store, 0, 1);
    expect_stream(store, {0});
  }
}

TEST(EmbeddingStore, KeepsNothingOfAnotherModel) {
  const TemporaryDirectory folder;
  {
    EmbeddingStore store = open(folder.path(), "a model");
    add(store, 0, 2);
  }
  EmbeddingStore store = open(folder.path(), "another model");
  EXPECT_EQ(known(store, 2), 0);
}

TEST(EmbeddingStore, CanBeSharedByTwoWriters) {
  const TemporaryDirectory folder;
  EmbeddingStore one = open(folder.path()), two = open(folder.path());
  for (int i = 0; i < 20; i += 2) {
    add(one, i, i + 1);
    add(two, i + 1, i + 2);
  }
  expect_stream(one, {0, 18});
  expect_stream(two, {1, 19});
  EmbeddingStore all = open(folder.path());
  EXPECT_EQ(known(all, 20), 20);
  EXPECT_TRUE(all.note().empty());
}

// Several processes write at once, and all are killed while writing.
TEST(EmbeddingStore, SurvivesBeingKilledWhileItIsWritten) {
  const TemporaryDirectory folder;
  constexpr int kProcesses = 3, kEach = 1'000'000;
  for (int round = 0; round < 5; ++round) {
    std::array<pid_t, kProcesses> children{};
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    for (int process = 0; process < kProcesses; ++process) {
      children[static_cast<std::size_t>(process)] = ::fork();
      if (children[static_cast<std::size_t>(process)] == 0) {
        Result<EmbeddingStore> store = EmbeddingStore::open(folder.path(), "a model", kWidth);
        for (int i = 0; store && i < kEach; ++i) {
          if (!store->add(picture(process * kEach + i), embedding(i))) break;
          if (i == 20) (void)!::write(pipe[1], "x", 1);
        }
        ::_exit(1);
      }
    }
    char byte = 0;
    for (int i = 0; i < kProcesses; ++i) ASSERT_EQ(::read(pipe[0], &byte, 1), 1);
    for (const pid_t child : children) ::kill(child, SIGKILL);
    for (const pid_t child : children) ::waitpid(child, nullptr, 0);
    for (const int fd : pipe) ::close(fd);
    EmbeddingStore store = open(folder.path());
    EXPECT_TRUE(store.note().empty()) << store.note();
    for (int process = 0; process < kProcesses; ++process)
      for (int i = 0; i <= 20; ++i) EXPECT_TRUE(store.has(picture(process * kEach + i)));
  }
}

TEST(EmbeddingStore, ReportsAFolderItCannotWrite) {
  const TemporaryDirectory folder;
  test::write(folder / "file", "");
  const Result<EmbeddingStore> store = EmbeddingStore::open(folder / "file/in", "a model", kWidth);
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().message.find("--cache"), std::string::npos) << store.error().message;
}

}  // namespace
}  // namespace bcp::eval
