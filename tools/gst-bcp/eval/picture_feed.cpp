// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/eval/picture_feed.hpp"

#include <exception>
#include <system_error>
#include <utility>

#include "gst-bcp/common/picture_file.hpp"
#include "onnx/execution.hpp"

namespace bcp::cli {
namespace {

// 0.6 MB each at 224 x 224: enough for two batches of the largest size.
constexpr std::size_t kAhead = 32;

}  // namespace

PictureFeed::PictureFeed(std::vector<std::string> paths, const PictureInput& input)
    : paths_(std::move(paths)), input_(input) {
  for (std::size_t i = 0; i < kAhead; ++i)
    free_.push_back(std::make_unique<tag::FrameEncoder>(input_.embedding_size, input_.tensor));
  // The encoder has half of the CPUs by default: the other half decodes.
  const int threads = onnx::thread_count(0);
  for (int i = 0; i < threads; ++i) {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // the system has no more threads: one is enough
      if (threads_.empty()) throw;
      break;
    }
  }
}

PictureFeed::~PictureFeed() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  free_changed_.notify_all();
}

Status PictureFeed::prepare(const std::string& path, tag::FrameEncoder& frame) const {
  const Result<PictureFile> file = PictureFile::read(path);
  if (!file) return file.error();
  if (const Status fits = frame.configure(file->format(), input_.coverage); !fits)
    return Error{fits.error().code, path + ": " + fits.error().message};
  frame.preprocess(file->picture());
  return ok();
}

void PictureFeed::work() {
  for (;;) {
    FedPicture picture;
    {
      std::unique_lock lock(mutex_);
      free_changed_.wait(lock, [this] { return stopped_ || next_ == paths_.size() || !free_.empty(); });
      if (stopped_ || next_ == paths_.size()) return;
      picture.number = next_++;
      picture.frame = std::move(free_.back());
      free_.pop_back();
    }
    try {
      picture.state = prepare(paths_[picture.number], *picture.frame);
    } catch (const std::exception&) {  // no exception may leave a thread
      picture.state =
          Error{ErrorCode::kRuntime, paths_[picture.number] + " cannot be read: out of memory; close other programs"};
    }
    {
      const std::lock_guard lock(mutex_);
      ready_.push_back(std::move(picture));
    }
    ready_changed_.notify_one();
  }
}

std::optional<FedPicture> PictureFeed::take_locked() {
  if (ready_.empty()) return std::nullopt;
  FedPicture picture = std::move(ready_.front());
  ready_.pop_front();
  ++taken_;
  return picture;
}

std::optional<FedPicture> PictureFeed::next() {
  std::unique_lock lock(mutex_);
  ready_changed_.wait(lock, [this] { return !ready_.empty() || taken_ == paths_.size(); });
  return take_locked();
}

std::optional<FedPicture> PictureFeed::next_if_ready() {
  const std::lock_guard lock(mutex_);
  return take_locked();
}

void PictureFeed::give_back(FedPicture picture) {
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(picture.frame));
  }
  free_changed_.notify_one();
}

}  // namespace bcp::cli
