// SPDX-License-Identifier: LGPL-2.1-or-later
// One image tower for several streams: pictures that come while it is busy are run together, in one batch.
//
// Nobody waits for a batch to fill: whoever finds the tower idle runs it at once, with what is waiting. Under load the
// batches grow by themselves, up to kMaxBatch pictures, and the streams take turns in the order they came.
//
// Thread safety: encode() may be called by any number of threads.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "clip/image_encoder.hpp"

namespace bcp::clip {

class SharedEncoder {
 public:
  // REQUIRES: `encoder` outlives this, and nobody else uses it meanwhile.
  explicit SharedEncoder(ImageEncoder& encoder) : encoder_(encoder) {}

  // As ImageEncoder::encode(). A picture at fault is an error of those who brought it, and of nobody it was run with.
  Status encode(std::span<const float> pixels, int count, std::span<float> embeddings);

  int embedding_size() const { return encoder_.embedding_size(); }

  // Runs of the tower so far.
  std::uint64_t runs() const;

  static constexpr int kMaxBatch = 16;

 private:
  struct Request {
    std::span<const float> pixels;
    int count;
    std::span<float> embeddings;
    bool done = false;
    Status result = ok();
  };
  std::vector<Request*> take_waiting();
  void run(const std::vector<Request*>& requests);
  bool run_together(const std::vector<Request*>& requests);

  ImageEncoder& encoder_;
  mutable std::mutex mutex_;
  std::condition_variable turn_;
  bool busy_ = false;             // somebody runs the tower
  std::deque<Request*> waiting_;  // each belongs to a caller of encode()
  std::uint64_t runs_ = 0;
  std::vector<float> pixels_, embeddings_;  // of a batch; used by whoever made it busy
};

}  // namespace bcp::clip
