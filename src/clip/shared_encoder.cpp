// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/shared_encoder.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <string>

namespace bcp::clip {

SharedEncoder::SharedEncoder(ImageEncoder& encoder, const Batching& batching)
    : encoder_(encoder), batching_(encoder.takes_batches() ? batching : Batching()) {
  batch_.reserve(kMaxBatch);
}

SharedEncoder::SharedEncoder(ImageEncoder& encoder) : SharedEncoder(encoder, Batching::on(encoder.provider())) {}

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
    const auto start = std::chrono::steady_clock::now();
    run_batch();
    const auto time = std::chrono::steady_clock::now() - start;
    lock.lock();
    last_run_ = time;
    int pictures = 0;
    for (const Request* each : batch_) pictures += each->pictures->count;
    for (Request* each : batch_) {
      if (each->pictures->batch) *each->pictures->batch = pictures;
      each->done = true;
    }
    ++runs_;
    busy_ = false;
    turn_.notify_all();
  }
}

std::uint64_t SharedEncoder::runs() const {
  const std::lock_guard lock(mutex_);
  return runs_;
}

Batching::Duration SharedEncoder::patience() const {
  if (!batching_.across_streams) return {};
  if (batching_.patience) return *batching_.patience;
  const std::lock_guard lock(mutex_);
  return std::min<Batching::Duration>(last_run_ / 8, kLongestPatience);
}

// Takes the first waiting request of any size, and as many after it as fit into the batch.
void SharedEncoder::take_waiting() {
  const auto most = static_cast<std::size_t>(batch_size());
  int pictures = 0;
  batch_.clear();
  while (!waiting_.empty() && batch_.size() < most &&
         (batch_.empty() || pictures + waiting_.front()->pictures->count <= kMaxBatch)) {
    pictures += waiting_.front()->pictures->count;
    batch_.push_back(waiting_.front());
    waiting_.pop_front();
  }
}

// Every failure becomes a result: the tower must not stay busy.
void SharedEncoder::run_batch() noexcept {
  if (batch_.size() > 1 && run_together()) return;
  // A single request, or one of several failed: run them one at a time to find out which.
  for (const Request* request : batch_) run_alone(*request);
}

void SharedEncoder::run_alone(const Request& request) noexcept {
  const Pictures& pictures = *request.pictures;
  try {
    *request.result = encoder_.encode(pictures.pixels, pictures.count, pictures.embeddings);
  } catch (const std::exception& error) {
    *request.result = Error{ErrorCode::kRuntime, std::string("the model could not be run: ") + error.what()};
  }
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
  return false;  // perhaps too little memory for the batch
}

}  // namespace bcp::clip
