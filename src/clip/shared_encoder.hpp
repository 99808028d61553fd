// SPDX-License-Identifier: LGPL-2.1-or-later
// One image tower for several streams, which take turns in the order they came.
//
// The rule: on CUDA, requests of several streams that wait at the same time are one run, up to kMaxBatch pictures. On
// the CPU, each request is a run of its own: a picture of ViT-B/32 costs 0.9 to 1.1 of its time alone in batches of 2,
// 4 and 8 (measured with one and two threads), so a batch saves nothing, makes every label as old as the whole run and
// keeps the memory of the largest batch. The pictures of one request (tiles, regions) are one run on either. A model
// with a fixed batch of one never gets more.
//
// encode() never waits for a batch to fill: a caller that finds the tower idle runs it at once with what is waiting, so
// batches grow under load. The ImageWorker may wait for patience(): on CUDA an eighth of the last run, at most
// kLongestPatience; on the CPU, zero.
//
// Thread safety: everything may be called by any number of threads.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "clip/image_encoder.hpp"

namespace bcp::clip {

// What one stream has encoded in one go: a frame, its tiles, its regions. The sizes are those of
// ImageEncoder::encode().
struct Pictures {
  std::span<const float> pixels;
  int count;
  std::span<float> embeddings;
  int* batch = nullptr;  // receives the number of pictures in the run, of all streams; may be null
};

// Which requests are run together.
struct Batching {
  using Duration = std::chrono::steady_clock::duration;
  bool across_streams = false;
  std::optional<Duration> patience;  // none: an eighth of the last run

  // The rule above.
  static Batching on(std::string_view provider) { return {.across_streams = provider == "cuda", .patience = {}}; }
};

class SharedEncoder {
 public:
  // REQUIRES: `encoder` outlives this, and nobody else uses it meanwhile.
  explicit SharedEncoder(ImageEncoder& encoder);
  // With this batching instead of the rule above: for tests and measurements.
  SharedEncoder(ImageEncoder& encoder, const Batching& batching);

  // As ImageEncoder::encode(). A picture at fault is an error of those who brought it, and of nobody it was run with.
  Status encode(const Pictures& pictures);
  Status encode(std::span<const float> pixels, int count, std::span<float> embeddings) {
    return encode(Pictures{pixels, count, embeddings});
  }
  // The same for several streams at once, each with a result of its own. REQUIRES: as many results as requests.
  void encode(std::span<const Pictures> requests, std::span<Status> results);

  int embedding_size() const { return encoder_.embedding_size(); }

  // The largest number of requests in one run; 1: no batches across streams.
  int batch_size() const { return batching_.across_streams ? kMaxBatch : 1; }
  // How long a caller with fewer requests may wait for more. Zero where batch_size() is 1, and before the first run.
  Batching::Duration patience() const;

  // Runs of the tower so far.
  std::uint64_t runs() const;

  static constexpr int kMaxBatch = 16;
  // The first run on a GPU takes seconds: an eighth of it is no measure of the next ones.
  static constexpr std::chrono::milliseconds kLongestPatience{5};

 private:
  struct Request {
    const Pictures* pictures;
    Status* result;
    bool done = false;
  };
  void run_until_done(std::span<Request> mine);
  void take_waiting();
  void run_batch() noexcept;
  void run_alone(const Request& request) noexcept;
  bool run_together() noexcept;

  ImageEncoder& encoder_;
  const Batching batching_;
  mutable std::mutex mutex_;
  std::condition_variable turn_;
  bool busy_ = false;             // somebody runs the tower
  std::deque<Request*> waiting_;  // each belongs to a caller of encode()
  std::uint64_t runs_ = 0;
  Batching::Duration last_run_ = {};
  // Of the run under way; used by whoever made it busy.
  std::vector<Request*> batch_;
  std::vector<float> pixels_, embeddings_;
};

}  // namespace bcp::clip
