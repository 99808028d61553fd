// SPDX-License-Identifier: LGPL-2.1-or-later
// Streams for an ImageWorker, controlled by a test, which record the worker's calls.

#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "clip/image_worker.hpp"
#include "clip/model.hpp"

namespace bcp::test {

inline constexpr std::size_t kToyPicture = 3 * 32 * 32;
inline constexpr std::size_t kToyWidth = 8;

inline std::shared_ptr<clip::Model> toy(const std::string& name) {
  auto model = clip::Model::open(std::string(BCP_TEST_DATA) + "/bundles/" + name,
                                 {.provider = onnx::Provider::kCpu, .device_id = 0, .threads = 1});
  EXPECT_TRUE(model) << model.error().message;
  return model ? *model : nullptr;
}

// An event that happens once and can be waited for. The limit only ends a test that has failed.
class Event {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    happened_ = true;
    changed_.notify_all();
  }
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [this] { return happened_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool happened_ = false;
};

// The worker's calls in order: "A" when it prepared a frame of stream a, "a" when that was done.
class Journal {
 public:
  void add(char what) {
    const std::lock_guard lock(mutex_);
    text_ += what;
    changed_.notify_all();
  }
  // The whole record, once it has this length.
  std::string wait(std::size_t length) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(60), [&] { return text_.size() >= length; });
    return text_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
};

// A stream whose frames are plain grey.
class GreyStream final : public clip::ImageWorker::Client {
 public:
  GreyStream(Journal& journal, char name, int count = 1, float grey = 0.5f)
      : journal_(journal),
        name_(name),
        count_(count),
        pixels_(static_cast<std::size_t>(count) * kToyPicture, grey),
        embeddings_(static_cast<std::size_t>(count) * kToyWidth) {}

  std::optional<clip::Pictures> prepare() noexcept override {
    journal_.add(static_cast<char>(name_ - 'a' + 'A'));
    if (on_prepare) on_prepare();
    if (has_none) return std::nullopt;
    return clip::Pictures{pixels_, count_, embeddings_};
  }
  void done(const Status& encoded) noexcept override {
    if (!encoded) ++faults;
    ++turns;
    if (on_done) on_done();
    journal_.add(name_);
  }

  // Called on the worker's thread. REQUIRES: set while the stream is not joined.
  std::function<void()> on_prepare, on_done;
  bool has_none = false;  // nothing to encode
  std::atomic<int> turns = 0, faults = 0;
  const std::vector<float>& embeddings() const { return embeddings_; }

 private:
  Journal& journal_;
  const char name_;
  const int count_;
  const std::vector<float> pixels_;
  std::vector<float> embeddings_;
};

// Blocks the worker in a turn until it is opened or destroyed, so that a test can arrange what follows.
class Gate {
 public:
  explicit Gate(clip::ImageWorker& worker) : worker_(worker) {
    stream_.has_none = true;
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
  clip::ImageWorker& worker_;
  Journal journal_;
  GreyStream stream_{journal_, 'g'};
  Event entered_, opened_;
};

// Streams that are joined to a worker during the lifetime of this object.
class Joined {
 public:
  Joined(clip::ImageWorker& worker, std::vector<GreyStream*> streams) : worker_(worker), streams_(std::move(streams)) {
    for (GreyStream* each : streams_) EXPECT_TRUE(worker_.join(*each));
  }
  ~Joined() {
    for (GreyStream* each : streams_) worker_.leave(*each);
  }

 private:
  clip::ImageWorker& worker_;
  std::vector<GreyStream*> streams_;
};

}  // namespace bcp::test
