// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/shared_encoder.hpp"

#include <algorithm>

namespace bcp::clip {

Status SharedEncoder::encode(std::span<const float> pixels, int count, std::span<float> embeddings) {
  Request request{pixels, count, embeddings};
  std::unique_lock lock(mutex_);
  waiting_.push_back(&request);
  while (!request.done) {
    if (busy_) {
      turn_.wait(lock);
      continue;
    }
    busy_ = true;
    const std::vector<Request*> batch = take_waiting();
    lock.unlock();
    run(batch);
    lock.lock();
    for (Request* each : batch) each->done = true;
    ++runs_;
    busy_ = false;
    turn_.notify_all();
  }
  return request.result;
}

std::uint64_t SharedEncoder::runs() const {
  const std::lock_guard lock(mutex_);
  return runs_;
}

// The first of those waiting, whatever its size, and as many after it as fit beside it.
std::vector<SharedEncoder::Request*> SharedEncoder::take_waiting() {
  std::vector<Request*> batch;
  int pictures = 0;
  while (!waiting_.empty() && (batch.empty() || pictures + waiting_.front()->count <= kMaxBatch)) {
    pictures += waiting_.front()->count;
    batch.push_back(waiting_.front());
    waiting_.pop_front();
    if (!encoder_.takes_batches()) break;  // it would run them one by one: then those waiting take turns instead
  }
  return batch;
}

void SharedEncoder::run(const std::vector<Request*>& requests) {
  if (requests.size() > 1 && run_together(requests)) return;
  // One at a time: there is only one, or one of them is at fault, and this tells which.
  for (Request* request : requests)
    request->result = encoder_.encode(request->pixels, request->count, request->embeddings);
}

bool SharedEncoder::run_together(const std::vector<Request*>& requests) {
  pixels_.clear();
  int count = 0;
  for (const Request* request : requests) {
    pixels_.insert(pixels_.end(), request->pixels.begin(), request->pixels.end());
    count += request->count;
  }
  embeddings_.resize(static_cast<std::size_t>(count * encoder_.embedding_size()));
  if (!encoder_.encode(pixels_, count, embeddings_)) return false;
  auto next = embeddings_.begin();
  for (Request* request : requests) {
    const auto end = next + static_cast<std::ptrdiff_t>(request->embeddings.size());
    std::copy(next, end, request->embeddings.begin());
    next = end;
  }
  return true;
}

}  // namespace bcp::clip
