// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures read, decoded and preprocessed ahead of the encoder, on threads of their own. How far ahead is bounded, and
// so is the memory.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "image/preprocessor.hpp"
#include "tag/frame_encoder.hpp"

namespace bcp::cli {

// How the model wants its pictures.
struct PictureInput {
  image::TensorSpec tensor;
  image::Coverage coverage = image::Coverage::kCentre;
  int embedding_size = 0;
};

// A picture, ready for the encoder, or the reason it is not.
struct FedPicture {
  std::size_t number = 0;  // in the list of paths
  Status state = ok();
  std::unique_ptr<tag::FrameEncoder> frame;
};

class PictureFeed {
 public:
  // Begins at once.
  PictureFeed(std::vector<std::string> paths, const PictureInput& input);
  // Leaves off where it is.
  ~PictureFeed();
  PictureFeed(const PictureFeed&) = delete;
  PictureFeed& operator=(const PictureFeed&) = delete;

  // The next one that is ready, in no particular order; waits for it. Nothing when there are no more.
  std::optional<FedPicture> next();
  // The same without waiting.
  std::optional<FedPicture> next_if_ready();
  // When its embedding was taken, so that the frame serves again.
  void give_back(FedPicture picture);

 private:
  void work();
  Status prepare(const std::string& path, tag::FrameEncoder& frame) const;
  std::optional<FedPicture> take_locked();

  const std::vector<std::string> paths_;
  const PictureInput input_;

  std::mutex mutex_;  // of all below, but the threads
  std::condition_variable ready_changed_, free_changed_;
  std::size_t next_ = 0, taken_ = 0;  // paths begun with, and pictures handed out
  bool stopped_ = false;
  std::deque<FedPicture> ready_;
  std::vector<std::unique_ptr<tag::FrameEncoder>> free_;

  std::vector<std::jthread> threads_;  // last: they end before the rest goes
};

}  // namespace bcp::cli
