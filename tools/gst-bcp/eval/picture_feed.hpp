// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads, decodes and preprocesses pictures ahead of the encoder, on its own threads. The number of prepared pictures,
// and so the memory, is limited.

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

// The preprocessing of the model.
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
  // Stops the threads.
  ~PictureFeed();
  PictureFeed(const PictureFeed&) = delete;
  PictureFeed& operator=(const PictureFeed&) = delete;

  // The next prepared picture, in no particular order; waits for it. Unset when there are no more.
  std::optional<FedPicture> next();
  // The same without waiting.
  std::optional<FedPicture> next_if_ready();
  // Call after encoding, so that the frame is reused.
  void give_back(FedPicture picture);

 private:
  void work();
  Status prepare(const std::string& path, tag::FrameEncoder& frame) const;
  std::optional<FedPicture> take_locked();

  const std::vector<std::string> paths_;
  const PictureInput input_;

  std::mutex mutex_;  // of all below, except the threads
  std::condition_variable ready_changed_, free_changed_;
  std::size_t next_ = 0, taken_ = 0;  // paths begun, and pictures handed out
  bool stopped_ = false;
  std::deque<FedPicture> ready_;
  std::vector<std::unique_ptr<tag::FrameEncoder>> free_;

  std::vector<std::jthread> threads_;  // last: they end before the other members are destroyed
};

}  // namespace bcp::cli
