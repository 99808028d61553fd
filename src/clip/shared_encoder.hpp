// SPDX-License-Identifier: LGPL-2.1-or-later
// One image tower for several streams, in the order of their requests.
//
// The rule: on CUDA, waiting requests of several streams are combined into one run, up to kMaxBatch pictures. On the
// CPU, each request has its own run: in batches of 2, 4 and 8 a picture of ViT-B/32 takes 0.9 to 1.1 of its time alone
// (measured with one and two threads), so a batch saves nothing, delays every label to the end of the run, and keeps
// the memory of the largest batch. The pictures of one request (tiles, regions) are always one run. A model with a
// fixed batch of one gets one picture per run.
//
// encode() never waits to fill a batch: a caller that finds the tower idle runs all waiting requests at once, so
// batches grow with the load. The ImageWorker may wait for patience(): on CUDA an eighth of the last run, at most
// kLongestPatience; on the CPU, zero.
//
// Thread safety: any number of threads may call everything.

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

// One request of a stream: a frame, its tiles, its regions. Sizes as in ImageEncoder::encode().
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
  std::optional<Duration> patience;  // empty: an eighth of the last run

  // The rule above.
  static Batching on(std::string_view provider) { return {.across_streams = provider == "cuda", .patience = {}}; }
};

class SharedEncoder {
 public:
  // REQUIRES: `encoder` outlives this object and is not used by others meanwhile.
  explicit SharedEncoder(ImageEncoder& encoder);
  // With this batching instead of the rule above: for tests and measurements.
  SharedEncoder(ImageEncoder& encoder, const Batching& batching);

  // As ImageEncoder::encode(). A faulty picture is an error only for the request that contains it.
  Status encode(const Pictures& pictures);
  Status encode(std::span<const float> pixels, int count, std::span<float> embeddings) {
    return encode(Pictures{pixels, count, embeddings});
  }
  // The same for several streams at once, each with its own result. REQUIRES: one result per request.
  void encode(std::span<const Pictures> requests, std::span<Status> results);

  int embedding_size() const { return encoder_.embedding_size(); }

  // The largest number of requests in one run; 1: no batches across streams.
  int batch_size() const { return batching_.across_streams ? kMaxBatch : 1; }
  // How long a caller with fewer requests may wait for more. Zero if batch_size() is 1, and before the first run.
  Batching::Duration patience() const;

  // Runs of the tower so far.
  std::uint64_t runs() const;

  static constexpr int kMaxBatch = 16;
  // The first run on a GPU takes seconds, so an eighth of it would be too long.
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
  bool busy_ = false;             // a caller runs the tower
  std::deque<Request*> waiting_;  // each owned by a caller of encode()
  std::uint64_t runs_ = 0;
  Batching::Duration last_run_ = {};
  // Of the current run; used only by the caller that set busy_.
  std::vector<Request*> batch_;
  std::vector<float> pixels_, embeddings_;
};

}  // namespace bcp::clip
