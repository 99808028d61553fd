// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/image_worker.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

namespace bcp::clip {
namespace {

constexpr std::chrono::seconds kActive{1};  // a client that has not offered for this long is not waited for

}  // namespace

ImageWorker::ImageWorker(SharedEncoder& encoder) : encoder_(encoder) {
  turns_.reserve(SharedEncoder::kMaxBatch);
  requests_.reserve(SharedEncoder::kMaxBatch);
  results_.reserve(SharedEncoder::kMaxBatch);
}

ImageWorker::~ImageWorker() {
  if (thread_.joinable()) thread_.join();
}

Status ImageWorker::join(Client& client) {
  const std::lock_guard lock(mutex_);
  members_.push_back({&client});
  if (runs_) return ok();
  if (thread_.joinable()) thread_.join();  // it ended when the last client left
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error& error) {
    members_.pop_back();
    return Error{ErrorCode::kRuntime, std::string("cannot start a thread for inference (") + error.what() +
                                          "): end other programs, or raise the limit of threads (ulimit -u)"};
  }
  runs_ = true;
  return ok();
}

void ImageWorker::leave(Client& client) {
  std::unique_lock lock(mutex_);
  members_.erase(find(&client));
  wake_.notify_one();  // the worker may be waiting for this client
  free_.wait(lock, [&] {
    return std::none_of(turns_.begin(), turns_.end(), [&](const Turn& turn) { return turn.client == &client; });
  });
}

void ImageWorker::offer(Client& client) {
  {
    const std::lock_guard lock(mutex_);
    const auto member = find(&client);
    if (member == members_.end()) return;
    member->offered = Clock::now();
    if (std::exchange(member->waits, true)) return;
  }
  wake_.notify_one();
}

std::vector<ImageWorker::Member>::iterator ImageWorker::find(const Client* client) {
  return std::find_if(members_.begin(), members_.end(), [&](const Member& each) { return each.client == client; });
}

bool ImageWorker::anyone_waits() const {
  return std::any_of(members_.begin(), members_.end(), [](const Member& each) { return each.waits; });
}

bool ImageWorker::have_all_offered() const {
  const Clock::time_point active = Clock::now() - kActive;
  return std::all_of(members_.begin(), members_.end(),
                     [&](const Member& each) { return each.waits || each.offered < active; });
}

void ImageWorker::work() noexcept {
#ifdef __linux__
  pthread_setname_np(pthread_self(), "bcp-images");
#endif
  while (take_turns()) serve();
}

// Ends the previous turns and takes the next ones; sleeps until there are any. False: no clients are left.
bool ImageWorker::take_turns() {
  std::unique_lock lock(mutex_);
  end_turns();
  while (!anyone_waits()) {
    if (members_.empty()) {
      runs_ = false;  // last access under the lock: a later join() starts a new thread
      return false;
    }
    wake_.wait(lock);
    // Streams with a common clock offer almost at the same time, so a short wait pays off. Offers made during a run
    // have waited already.
    if (const auto patience = encoder_.patience(); patience > patience.zero() && anyone_waits())
      wake_.wait_for(lock, patience, [&] { return !anyone_waits() || have_all_offered(); });
  }
  const auto most = static_cast<std::size_t>(encoder_.batch_size());
  int pictures = 0;
  for (Member& member : members_) {
    if (!member.waits) continue;
    pictures += member.pictures;
    if (turns_.size() == most || (!turns_.empty() && pictures > SharedEncoder::kMaxBatch)) break;
    member.waits = false;
    turns_.push_back({member.client, std::nullopt});
  }
  for (const Turn& turn : turns_) {  // they had the latest turns
    const auto member = find(turn.client);
    std::rotate(member, member + 1, members_.end());
  }
  return true;
}

void ImageWorker::serve() noexcept {
  requests_.clear();
  for (Turn& turn : turns_)
    if ((turn.pictures = turn.client->prepare())) requests_.push_back(*turn.pictures);
  results_.assign(requests_.size(), ok());
  try {
    encoder_.encode(requests_, results_);
  } catch (const std::exception& error) {
    for (Status& result : results_)
      result = Error{ErrorCode::kRuntime, std::string("the model could not be run: ") + error.what()};
  }
  std::size_t next = 0;
  for (Turn& turn : turns_)
    if (turn.pictures) turn.client->done(results_[next++]);
}

void ImageWorker::end_turns() {
  for (const Turn& turn : turns_)
    if (const auto member = find(turn.client); turn.pictures && member != members_.end())
      member->pictures = turn.pictures->count;
  turns_.clear();
  free_.notify_all();
}

}  // namespace bcp::clip
