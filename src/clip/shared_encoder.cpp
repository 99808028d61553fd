// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/shared_encoder.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>

namespace bcp::clip {
namespace {

constexpr int kFewThreads = 2;  // for which batches were found not to pay on a CPU, see batch_gain.hpp

}  // namespace

SharedEncoder::SharedEncoder(ImageEncoder& encoder, const BatchGain& gain) : encoder_(encoder) {
  if (encoder.takes_batches()) gain_ = gain;  // else it would run them one by one: those waiting take turns instead
  batch_.reserve(kMaxBatch);
}

SharedEncoder::SharedEncoder(ImageEncoder& encoder) : SharedEncoder(encoder, BatchGain()) {
  if (encoder.provider() == "cpu" && encoder.threads() <= kFewThreads) gain_.reset();
}

Status SharedEncoder::encode(const Pictures& pictures) {
  Status result = ok();
  Request request{&pictures, &result};
  run_until_done({&request, 1});
  return result;
}

void SharedEncoder::encode(std::span<const Pictures> requests, std::span<Status> results) {
  std::vector<Request> mine;
  mine.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) mine.push_back({&requests[i], &results[i]});
  run_until_done(mine);
}

void SharedEncoder::run_until_done(std::span<Request> mine) {
  const auto is_done = [](const Request& request) { return request.done; };
  std::unique_lock lock(mutex_);
  for (Request& request : mine) waiting_.push_back(&request);
  while (!std::all_of(mine.begin(), mine.end(), is_done)) {
    if (busy_) {
      turn_.wait(lock);
      continue;
    }
    busy_ = true;
    take_waiting();
    lock.unlock();
    const std::optional<BatchGain::Duration> time = run_batch();
    lock.lock();
    int pictures = 0;
    for (const Request* each : batch_) pictures += each->pictures->count;
    for (Request* each : batch_) {
      if (each->pictures->batch) *each->pictures->batch = pictures;
      each->done = true;
    }
    if (time && gain_) gain_->ran(static_cast<int>(batch_.size()), pictures, *time);
    ++runs_;
    busy_ = false;
    turn_.notify_all();
  }
}

std::uint64_t SharedEncoder::runs() const {
  const std::lock_guard lock(mutex_);
  return runs_;
}

int SharedEncoder::batch_size() const {
  const std::lock_guard lock(mutex_);
  return batch_size_locked();
}

int SharedEncoder::batch_size_locked() const {
  return gain_ ? std::min(kMaxBatch, gain_->requests()) : 1;
}

BatchGain::Duration SharedEncoder::patience() const {
  const std::lock_guard lock(mutex_);
  return gain_ ? gain_->patience() : BatchGain::Duration::zero();
}

// The first of those waiting, whatever its size, and as many after it as fit beside it.
void SharedEncoder::take_waiting() {
  const auto most = static_cast<std::size_t>(batch_size_locked());
  int pictures = 0;
  batch_.clear();
  while (!waiting_.empty() && batch_.size() < most &&
         (batch_.empty() || pictures + waiting_.front()->pictures->count <= kMaxBatch)) {
    pictures += waiting_.front()->pictures->count;
    batch_.push_back(waiting_.front());
    waiting_.pop_front();
  }
}

// Whatever goes wrong is a result: who waits for the tower must not find it busy for ever.
std::optional<BatchGain::Duration> SharedEncoder::run_batch() noexcept {
  const auto start = std::chrono::steady_clock::now();
  if (batch_.size() == 1 ? run_alone(*batch_.front()) : run_together()) return std::chrono::steady_clock::now() - start;
  // One of them is at fault: run one at a time, they tell which.
  if (batch_.size() > 1)
    for (const Request* request : batch_) run_alone(*request);
  return std::nullopt;
}

bool SharedEncoder::run_alone(const Request& request) noexcept {
  const Pictures& pictures = *request.pictures;
  try {
    *request.result = encoder_.encode(pictures.pixels, pictures.count, pictures.embeddings);
  } catch (const std::exception& error) {
    *request.result = Error{ErrorCode::kRuntime, std::string("the model could not be run: ") + error.what()};
  }
  return static_cast<bool>(*request.result);
}

bool SharedEncoder::run_together() noexcept try {
  pixels_.clear();
  int count = 0;
  for (const Request* request : batch_) {
    pixels_.insert(pixels_.end(), request->pictures->pixels.begin(), request->pictures->pixels.end());
    count += request->pictures->count;
  }
  embeddings_.resize(static_cast<std::size_t>(count * encoder_.embedding_size()));
  if (!encoder_.encode(pixels_, count, embeddings_)) return false;
  auto next = embeddings_.begin();
  for (const Request* request : batch_) {
    const auto end = next + static_cast<std::ptrdiff_t>(request->pictures->embeddings.size());
    std::copy(next, end, request->pictures->embeddings.begin());
    *request->result = ok();
    next = end;
  }
  return true;
} catch (const std::exception&) {
  return false;  // too little memory for all of them, perhaps
}

}  // namespace bcp::clip
