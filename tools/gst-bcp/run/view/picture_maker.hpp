// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes JPEG pictures of frames of running pipelines, when someone asks for one, on its own thread. The streaming
// thread hands over a reference to the frame. Any thread.

#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include "gst-bcp/run/pipeline/frame_tap.hpp"
#include "gst-bcp/run/pipeline/jpeg.hpp"
#include "gst-bcp/run/view/picture_queue.hpp"

namespace bcp::cli::view {

class PictureMaker {
 public:
  static constexpr std::size_t kMostWaiting = 64;  // frames; a newer one is then dropped
  // On the maker's thread, or on that of the frames: must not wait. Null: there is no picture.
  using Done = std::function<void(Jpeg picture)>;

  PictureMaker();
  ~PictureMaker();
  PictureMaker(const PictureMaker&) = delete;
  PictureMaker& operator=(const PictureMaker&) = delete;

  // Of the next frame at the tap. `done` is called once, unless the tap or the maker is destroyed before. False: the
  // tap has too many requests.
  bool make(run::FrameTap& tap, const run::JpegShape& shape, Done done);
  // How many pictures were encoded so far.
  std::uint64_t encoded() const { return encoded_; }

 private:
  struct Work {
    std::shared_ptr<GstSample> frame;
    run::JpegShape shape;
    Done done;
  };
  // Shared with the requests that wait at taps.
  struct Waiting {
    std::mutex mutex;
    std::condition_variable_any added;
    std::deque<Work> work;  // under the mutex
  };

  void serve(const std::stop_token& stop);

  const std::shared_ptr<Waiting> waiting_ = std::make_shared<Waiting>();
  std::atomic<std::uint64_t> encoded_ = 0;
  std::jthread thread_;  // last: it uses the above
};

}  // namespace bcp::cli::view
