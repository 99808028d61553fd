// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/image_worker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "clip/model.hpp"

namespace bcp::clip {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPicture = 3 * 32 * 32;
constexpr std::size_t kWidth = 8;

std::shared_ptr<Model> toy(const std::string& name) {
  auto model = Model::open(std::string(BCP_TEST_DATA) + "/bundles/" + name,
                           {.provider = onnx::Provider::kCpu, .device_id = 0, .threads = 1});
  EXPECT_TRUE(model) << model.error().message;
  return model ? *model : nullptr;
}

// Something that happens once, and can be waited for. The limit only ends a test that has failed.
class Event {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    happened_ = true;
    changed_.notify_all();
  }
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 60s, [this] { return happened_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool happened_ = false;
};

// What the worker did, in its order: "A" for a frame of A's prepared, "a" for one done.
class Journal {
 public:
  void add(char what) {
    const std::lock_guard lock(mutex_);
    text_ += what;
    changed_.notify_all();
  }
  // The first `length` of it, once there are as many.
  std::string wait(std::size_t length) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, 60s, [&] { return text_.size() >= length; });
    return text_.substr(0, length);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
};

// A stream of one plain grey. What it does beyond that, a test says.
class Stream final : public ImageWorker::Client {
 public:
  explicit Stream(Journal& journal, char name = 'a', int count = 1, float grey = 0.5f)
      : journal_(journal),
        name_(name),
        count_(count),
        pixels_(static_cast<std::size_t>(count) * kPicture, grey),
        embeddings_(static_cast<std::size_t>(count) * kWidth) {}

  std::optional<Pictures> prepare() noexcept override {
    journal_.add(static_cast<char>(name_ - 'a' + 'A'));
    if (on_prepare) on_prepare();
    if (empty) return std::nullopt;
    return Pictures{pixels_, count_, embeddings_};
  }
  void done(const Status& encoded) noexcept override {
    faults += !encoded;
    ++turns;
    if (on_done) on_done();
    journal_.add(name_);
  }

  std::function<void()> on_prepare, on_done;
  bool empty = false;
  std::atomic<int> turns = 0, faults = 0;
  const std::vector<float>& embeddings() const { return embeddings_; }

 private:
  Journal& journal_;
  const char name_;
  const int count_;
  std::vector<float> pixels_, embeddings_;
};

// Holds the worker up in a turn of its own until it is opened, so that a test can arrange the offers behind it.
class Gate {
 public:
  explicit Gate(ImageWorker& worker) : worker_(worker), stream_(journal_) {
    stream_.empty = true;
    stream_.on_prepare = [this] {
      entered_.set();
      opened_.wait();
    };
    EXPECT_TRUE(worker_.join(stream_));
    worker_.offer(stream_);
    EXPECT_TRUE(entered_.wait());
  }
  ~Gate() {
    open();
    worker_.leave(stream_);
  }
  void open() { opened_.set(); }

 private:
  ImageWorker& worker_;
  Journal journal_;
  Stream stream_;
  Event entered_, opened_;
};

TEST(ImageWorker, GivesTheEmbeddingsTheTowerGives) {
  const auto model = toy("toy");
  ASSERT_TRUE(model);
  std::vector<float> expected(kWidth);
  ASSERT_TRUE(model->images().encode(std::vector<float>(kPicture, 0.5f), 1, expected));
  Journal journal;
  Stream stream(journal);
  ASSERT_TRUE(model->worker().join(stream));
  model->worker().offer(stream);
  EXPECT_EQ(journal.wait(2), "Aa");
  model->worker().leave(stream);
  EXPECT_EQ(stream.embeddings(), expected);
  EXPECT_EQ(stream.faults, 0);
}

TEST(ImageWorker, ServesInTheOrderOfTheOffersAndCountsEachOnce) {
  const auto model = toy("toy");
  ASSERT_TRUE(model);
  ImageWorker& worker = model->worker();
  Journal journal;
  Stream a(journal, 'a'), b(journal, 'b'), c(journal, 'c');
  for (Stream* each : {&a, &b, &c}) ASSERT_TRUE(worker.join(*each));
  {
    Gate gate(worker);
    for (Stream* each : {&c, &a, &c, &c, &b, &a}) worker.offer(*each);
  }
  EXPECT_EQ(journal.wait(6), "CcAaBb");
  for (Stream* each : {&a, &b, &c}) worker.leave(*each);
  EXPECT_EQ(a.turns + b.turns + c.turns, 3);
}

}  // namespace
}  // namespace bcp::clip
