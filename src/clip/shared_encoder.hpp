// SPDX-License-Identifier: LGPL-2.1-or-later
// One image tower for several streams, which take turns in the order they came.
//
// Where batches pay (batch_gain.hpp), pictures that come while the tower is busy are run together. Nobody waits here
// for a batch to fill: whoever finds the tower idle runs it at once, with what is waiting. Under load the batches grow
// by themselves, up to kMaxBatch pictures.
//
// Thread safety: everything may be called by any number of threads.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "clip/batch_gain.hpp"
#include "clip/image_encoder.hpp"

namespace bcp::clip {

// What one stream has encoded in one go: a frame, its tiles, its regions. The sizes are those of
// ImageEncoder::encode().
struct Pictures {
  std::span<const float> pixels;
  int count;
  std::span<float> embeddings;
  int* batch = nullptr;  // is told how many pictures were run together, of all streams; null: nobody asks
};

class SharedEncoder {
 public:
  // REQUIRES: `encoder` outlives this, and nobody else uses it meanwhile.
  explicit SharedEncoder(ImageEncoder& encoder);
  // Goes by this gain, on a CPU too.
  SharedEncoder(ImageEncoder& encoder, const BatchGain& gain);

  // As ImageEncoder::encode(). A picture at fault is an error of those who brought it, and of nobody it was run with.
  Status encode(const Pictures& pictures);
  Status encode(std::span<const float> pixels, int count, std::span<float> embeddings) {
    return encode(Pictures{pixels, count, embeddings});
  }
  // The same for several streams at once, each with a result of its own. REQUIRES: as many results as requests.
  void encode(std::span<const Pictures> requests, std::span<Status> results);

  int embedding_size() const { return encoder_.embedding_size(); }

  // How many requests the next run would take together if they were there; 1: they had better come one by one.
  int batch_size() const;
  // How long whoever has fewer may wait for the rest.
  BatchGain::Duration patience() const;

  // Runs of the tower so far.
  std::uint64_t runs() const;

  static constexpr int kMaxBatch = 16;

 private:
  struct Request {
    const Pictures* pictures;
    Status* result;
    bool done = false;
  };
  int batch_size_locked() const;
  void run_until_done(std::span<Request> mine);
  void take_waiting();
  std::optional<BatchGain::Duration> run_batch() noexcept;
  bool run_alone(const Request& request) noexcept;
  bool run_together() noexcept;

  ImageEncoder& encoder_;
  mutable std::mutex mutex_;
  std::condition_variable turn_;
  bool busy_ = false;             // somebody runs the tower
  std::deque<Request*> waiting_;  // each belongs to a caller of encode()
  std::uint64_t runs_ = 0;
  std::optional<BatchGain> gain_;  // none: everything is run one by one
  // Of the run under way; used by whoever made it busy.
  std::vector<Request*> batch_;
  std::vector<float> pixels_, embeddings_;
};

}  // namespace bcp::clip
