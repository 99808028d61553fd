// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tag/label_worker.hpp"

#include <chrono>
#include <exception>
#include <utility>

namespace bcp::tag {
namespace {

// Long enough for a user who tries several lists; a text tower takes a quarter of a gigabyte.
constexpr std::chrono::seconds kLabelPatience{10};

}  // namespace

LabelWorker::LabelWorker(clip::LabelEncoder& encoder, const WordTraits& traits,
                         std::shared_ptr<prior::PriorGroup> group, Progress progress)
    : encoder_(encoder), traits_(traits), group_(std::move(group)), progress_(std::move(progress)), thread_([this] {
        run();
      }) {}

LabelWorker::~LabelWorker() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void LabelWorker::request(unsigned serial, LabelRequest request) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = Job{serial, std::move(request), 0};
  }
  wake_.notify_one();
}

void LabelWorker::prepare_again(Answer answer) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_) return;
    waiting_ = Job{answer.serial, *std::move(answer.labels), answer.again + 1};
  }
  wake_.notify_one();
}

void LabelWorker::free(std::shared_ptr<void> something) {
  if (!something) return;
  {
    const std::lock_guard lock(mutex_);
    to_free_.push_back(std::move(something));
  }
  wake_.notify_one();
}

std::optional<LabelWorker::Answer> LabelWorker::take() {
  if (!answered_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  answered_ = false;
  return std::exchange(answer_, std::nullopt);
}

bool LabelWorker::is_wanted() {
  const std::lock_guard lock(mutex_);
  return !stop_ && !waiting_;
}

std::optional<LabelWorker::Job> LabelWorker::next_job() {
  const auto called = [this] { return stop_ || waiting_ || !to_free_.empty(); };
  for (bool released = false;;) {
    std::vector<std::shared_ptr<void>> gone;  // freed after the lock
    std::unique_lock lock(mutex_);
    if (released) {
      wake_.wait(lock, called);
    } else if (!wake_.wait_for(lock, kLabelPatience, called)) {
      lock.unlock();
      encoder_.release();
      released = true;
      continue;
    }
    gone.swap(to_free_);
    if (stop_) return std::nullopt;
    if (waiting_) return std::exchange(waiting_, std::nullopt);
  }
}

void LabelWorker::run() {
  while (std::optional<Job> job = next_job()) {
    bool given_up = false;
    const auto progress = [&](std::size_t done, std::size_t total) {
      if (progress_) progress_(job->serial, done, total);
      given_up = !is_wanted();
      return !given_up;
    };
    Result<Vocabulary> labels = Error{};
    std::optional<prior::Successor> learnt;
    try {
      if (auto* encoded = std::get_if<Vocabulary>(&job->labels))
        labels = std::move(*encoded);
      else
        labels = encode_labels(std::get<LabelRequest>(job->labels), encoder_, traits_, progress);
      if (labels) learnt = group_->prepare(names_of(labels->labels));
    } catch (const std::exception& error) {
      labels = Error{ErrorCode::kRuntime, std::string("the labels could not be encoded: ") + error.what()};
    }
    if (!labels && given_up) continue;
    const std::lock_guard lock(mutex_);
    answer_ = Answer{job->serial, std::move(labels), std::move(learnt), job->again};
    answered_ = true;
  }
}

}  // namespace bcp::tag
