// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/async_scoring.hpp"

#include <utility>

#include "support/barrier.hpp"

namespace bcp::tagger {

AsyncScoring::AsyncScoring(GstElement* element, Scorer& scorer, gst::Guarded<Statistics>& statistics)
    : element_(element), scorer_(scorer), statistics_(statistics), worker_(scorer.model().worker()) {}

Result<bool> AsyncScoring::offer(Frame frame) {
  if (!joined_) {
    if (Status joined = worker_.join(*this); !joined) return joined.error();
    joined_ = true;
  }
  frame.waits_since = std::chrono::steady_clock::now();
  std::optional<Frame> old;  // released after the lock: returning a buffer may wake its pool
  {
    const std::lock_guard lock(mutex_);
    if (step_ == Step::kReading) return false;
    frame.forced = frame.forced || (waiting_ && waiting_->forced);
    old = std::exchange(waiting_, std::move(frame));
  }
  worker_.offer(*this);
  return true;
}

bool AsyncScoring::is_idle() {
  const std::lock_guard lock(mutex_);
  return step_ == Step::kIdle && !waiting_;
}

std::optional<Results> AsyncScoring::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(results_, std::nullopt);
}

void AsyncScoring::drain() {
  std::optional<Frame> unwanted;
  std::optional<Results> unseen;
  std::unique_lock lock(mutex_);
  const unsigned discards = discards_;
  if (any_done_ || step_ != Step::kIdle) unwanted = std::exchange(waiting_, std::nullopt);
  changed_.wait(lock, [&] { return (step_ == Step::kIdle && !waiting_) || discards_ != discards; });
  unseen = std::exchange(results_, std::nullopt);
  lock.unlock();  // before the frame and the results are released
  count_dropped(unseen);
}

void AsyncScoring::settle() {
  discard();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return step_ == Step::kIdle; });
}

void AsyncScoring::discard() {
  std::optional<Frame> unwanted;
  std::optional<Results> unseen;
  {
    const std::lock_guard lock(mutex_);
    ++discards_;
    any_done_ = false;
    unwanted = std::exchange(waiting_, std::nullopt);
    unseen = std::exchange(results_, std::nullopt);
  }
  changed_.notify_all();
  count_dropped(unseen);
}

void AsyncScoring::close() {
  discard();
  if (std::exchange(joined_, false)) worker_.leave(*this);
}

std::optional<clip::Pictures> AsyncScoring::prepare() noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!waiting_) return std::nullopt;
    current_ = *std::exchange(waiting_, std::nullopt);
    step_ = Step::kReading;
    begun_ = discards_;
  }
  const auto prepared = gst::barrier(element_, Scorer::Preparation(), [this] { return scorer_.prepare(current_); });
  current_.buffer.reset();
  if (prepared.pictures) {
    const std::lock_guard lock(mutex_);
    step_ = Step::kEncoding;
  } else {
    end(prepared.is_static ? std::nullopt : std::optional<Results>(std::in_place));
  }
  return prepared.pictures;
}

void AsyncScoring::done(const Status& encoded) noexcept {
  end(gst::barrier(element_, Results(),
                   [&] { return scorer_.finish(current_, encoded, [this] { return is_wanted(); }); }));
}

// Ends the current frame. Empty results (after a fault) replace the earlier ones, which are no longer shown; nullopt
// keeps them.
void AsyncScoring::end(std::optional<Results> results) noexcept {
  const bool holds = !results;
  {
    const std::lock_guard lock(mutex_);
    if (results && begun_ == discards_) {
      any_done_ = any_done_ || !results->empty();
      results_.swap(results);  // replaces results that no frame has taken
    }
  }
  scorer_.count();
  count_dropped(results);
  {
    const std::lock_guard lock(mutex_);
    step_ = Step::kIdle;
  }
  if (holds) statistics_.with([](Statistics& s) { ++s.static_skipped; });
  changed_.notify_all();
}

void AsyncScoring::count_dropped(const std::optional<Results>& unseen) {
  if (unseen && !unseen->empty()) statistics_.with([](Statistics& s) { ++s.dropped; });
}

bool AsyncScoring::is_wanted() {
  const std::lock_guard lock(mutex_);
  return begun_ == discards_;
}

}  // namespace bcp::tagger
