// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tag/label_worker.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <thread>

#include "toy_bundle.hpp"

namespace bcp::tag {
namespace {

using namespace std::chrono_literals;

clip::LabelEncoder encoder(const std::string& tower) {
  clip::Bundle bundle;
  bundle.name = "words";
  bundle.embedding_size = 8;
  bundle.visual.file = test::toy_model("toy.onnx");
  bundle.textual.emplace().file = test::toy_model(tower);
  return clip::LabelEncoder(bundle, {}, {.provider = onnx::Provider::kCpu, .threads = 1});
}

LabelRequest list(const std::string& labels) {
  return {LabelSource::kText, labels, {}, {}, {}};
}

std::optional<LabelWorker::Answer> wait(LabelWorker& worker) {
  for (int i = 0; i < 20'000; ++i) {
    if (auto answer = worker.take()) return answer;
    std::this_thread::sleep_for(1ms);
  }
  return std::nullopt;
}

TEST(LabelWorker, AnswersEachRequestOnce) {
  auto words = encoder("words.onnx");
  LabelWorker worker(words, {}, prior::PriorGroup::alone(), {});
  EXPECT_FALSE(worker.take());
  worker.request(7, list("red, blue"));
  const auto answer = wait(worker);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->serial, 7u);
  ASSERT_TRUE(answer->labels) << answer->labels.error().message;
  EXPECT_EQ(answer->labels->labels.labels.size(), 2u);
  EXPECT_EQ(answer->labels->labels.embeddings.rows(), 2);
  EXPECT_FALSE(worker.take());
}

TEST(LabelWorker, AnswersWithTheErrorOfAFailedRequest) {
  auto words = encoder("words.onnx");
  LabelWorker worker(words, {}, prior::PriorGroup::alone(), {});
  worker.request(1, list(" , "));
  auto answer = wait(worker);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->labels);
  worker.request(2, {LabelSource::kText, "red", "no place for it", {}, {}});
  answer = wait(worker);
  ASSERT_TRUE(answer);
  ASSERT_FALSE(answer->labels);
  EXPECT_NE(answer->labels.error().message.find("write {} there"), std::string::npos);
  worker.request(3, {LabelSource::kFile, "/nowhere/labels.txt", {}});
  answer = wait(worker);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->labels);
}

TEST(LabelWorker, PreparesAgainWithoutEncodingAgain) {
  auto words = encoder("words.onnx");
  const auto group = prior::PriorGroup::alone();
  LabelWorker worker(words, {}, group, {});
  worker.request(7, list("red, blue"));
  auto answer = wait(worker);
  ASSERT_TRUE(answer && answer->labels);
  const std::size_t run = words.texts_run();
  const prior::Successor taken = *std::move(answer->learnt);
  answer->learnt.reset();
  worker.prepare_again(*std::move(answer));
  answer = wait(worker);
  ASSERT_TRUE(answer && answer->labels);
  EXPECT_EQ(answer->serial, 7u);
  EXPECT_EQ(answer->again, 1);
  EXPECT_EQ(answer->labels->labels.labels.size(), 2u);
  ASSERT_TRUE(answer->learnt);
  EXPECT_TRUE(answer->learnt->is_ready());
  EXPECT_EQ(words.texts_run(), run);
}

TEST(LabelWorker, FreesObjectsOnItsOwnThread) {
  auto words = encoder("words.onnx");
  LabelWorker worker(words, {}, prior::PriorGroup::alone(), {});
  std::promise<std::thread::id> freed;
  worker.free(std::shared_ptr<void>(nullptr, [](void*) {}));
  worker.free(std::shared_ptr<int>(new int, [&](int* memory) {
    delete memory;
    freed.set_value(std::this_thread::get_id());
  }));
  EXPECT_NE(freed.get_future().get(), std::this_thread::get_id());
}

std::string many(const std::string& prefix, int count) {
  std::string labels;
  for (int i = 0; i < count; ++i) labels += prefix + std::to_string(i) + ",";
  return labels;
}

TEST(LabelWorker, StopsALongListForANewerOne) {
  auto words = encoder("slow_words.onnx");
  std::atomic<std::size_t> done = 0;
  LabelWorker worker(words, {}, prior::PriorGroup::alone(),
                     [&](unsigned, std::size_t so_far, std::size_t) { done = so_far; });
  worker.request(1, list(many("a ", 5000)));
  while (done == 0) std::this_thread::sleep_for(1ms);
  worker.request(2, list("red"));
  const auto answer = wait(worker);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->serial, 2u);
  EXPECT_LT(words.texts_run(), 5000u);
}

TEST(LabelWorker, EndsInTheMiddleOfALongList) {
  auto words = encoder("slow_words.onnx");
  std::atomic<bool> begun = false;
  const auto start = std::chrono::steady_clock::now();
  {
    LabelWorker worker(words, {}, prior::PriorGroup::alone(),
                       [&](unsigned, std::size_t, std::size_t) { begun = true; });
    worker.request(1, list(many("b ", 15'000)));
    while (!begun) std::this_thread::sleep_for(1ms);
  }
  EXPECT_LT(words.texts_run(), 15'000u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
}

TEST(LabelWorker, EndsWhileItWaitsForAnotherLongList) {
  auto words = encoder("slow_words.onnx");
  std::atomic<bool> begun = false;
  LabelWorker other(words, {}, prior::PriorGroup::alone(), [&](unsigned, std::size_t, std::size_t) { begun = true; });
  other.request(1, list(many("c ", 15'000)));
  while (!begun) std::this_thread::sleep_for(1ms);
  {
    std::atomic<bool> waits = false;
    LabelWorker worker(words, {}, prior::PriorGroup::alone(),
                       [&](unsigned, std::size_t done, std::size_t) { waits = done == 0; });
    worker.request(1, list("red"));
    for (int i = 0; i < 2000 && !waits; ++i) std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(waits);
  }
  words.release();  // does not wait either
  EXPECT_LT(words.texts_run(), 15'000u);
}

TEST(LabelWorker, AnswersTheNewestOfManyRequests) {
  auto words = encoder("words.onnx");
  LabelWorker worker(words, {}, prior::PriorGroup::alone(), {});
  unsigned last = 0;
  for (unsigned i = 1; i <= 500; ++i) {
    worker.request(i, list("red, label " + std::to_string(i)));
    if (const auto answer = worker.take()) {
      EXPECT_GT(answer->serial, last);
      last = answer->serial;
      ASSERT_TRUE(answer->labels) << answer->labels.error().message;
      EXPECT_EQ(answer->labels->labels.labels[1].name, "label " + std::to_string(last));
    }
  }
  while (last < 500) {
    const auto answer = wait(worker);
    ASSERT_TRUE(answer);
    EXPECT_GT(answer->serial, last);
    last = answer->serial;
  }
}

}  // namespace
}  // namespace bcp::tag
