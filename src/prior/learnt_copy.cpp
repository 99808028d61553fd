// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies of what was learnt, for files and other machines.

#include <algorithm>
#include <utility>

#include "prior/learnt.hpp"

namespace bcp::prior {
namespace {

constexpr int kCopyTries = 3;  // then frames wait

// The sum of all scenes, in place of the statistics of the awake one.
void add_scenes(prior::SnapshotParts& parts) {
  if (parts.scenes.size() < 2) return;
  const auto awake = std::make_shared<const adapt::Bcp>(adapt::Cooccurrence(std::move(parts.seen)), parts.settled);
  adapt::Cooccurrence sum = awake->seen();
  for (StoredScene& each : parts.scenes) {
    if (each.learnt) {
      sum.add(each.learnt->seen());
      parts.settled = parts.settled || each.learnt->settled();
    } else {
      each.learnt = awake;
    }
  }
  parts.seen = sum.parts();
}

}  // namespace

prior::SnapshotParts Learnt::copy_frame() const {
  prior::SnapshotParts frame{.labels = labels_, .settled = bcp_.settled(), .taught = taught_->copy()};
  frame.origins = origins_;
  frame.scenes = scenes_.stored();
  frame.share = scenes_.share();
  if (!own_.stream.empty() && own_.samples > 0) {
    Origin own = own_;
    own.last = std::max(seconds_now(), own.first);
    frame.origins = united(std::move(frame.origins), {own});
  }
  return frame;
}

std::vector<Origin> Learnt::origins() const {
  const std::lock_guard lock(mutex_);
  return copy_frame().origins;
}

void Learnt::break_copy() const {
  if (!held_) return;
  const std::lock_guard piece(pieces_);
  held_ = false;
  bcp_.release();
}

// Unlocks meanwhile. Empty if the copy was broken.
std::optional<adapt::Cooccurrence::Parts> Learnt::copy_pairs(std::unique_lock<std::mutex>& lock) const {
  adapt::Cooccurrence::Mark mark = bcp_.hold();
  held_ = true;
  lock.unlock();
  auto parts = bcp_.seen().copy(mark, [this](const std::function<void()>& piece) {
    const std::lock_guard held(pieces_);
    if (held_) piece();
    return held_;
  });
  lock.lock();
  break_copy();
  return parts;
}

prior::SnapshotParts Learnt::snapshot() const {
  const std::lock_guard copying(copying_);
  std::unique_lock lock(mutex_);
  for (int i = 0; i < kCopyTries; ++i) {
    prior::SnapshotParts frame = copy_frame();
    if (auto parts = copy_pairs(lock)) {
      frame.seen = *std::move(parts);
      lock.unlock();
      add_scenes(frame);
      return frame;
    }
  }
  prior::SnapshotParts whole = copy_frame();
  whole.seen = bcp_.seen().parts();
  lock.unlock();
  add_scenes(whole);
  return whole;
}

prior::SnapshotParts Learnt::saved_copy() {
  std::shared_ptr<const Kept> kept;
  std::uint64_t requests = 0;
  {
    const std::lock_guard lock(mutex_);
    kept = kept_;
    requests = requests_;
  }
  prior::SnapshotParts copy;
  if (!kept) copy = snapshot();
  {
    const std::lock_guard lock(mutex_);
    if (kept_) kept = kept_;  // forgotten before the copy was complete
    if (requests == requests_) {
      asked_ = false;
      kept_.reset();
    }
  }
  if (!kept) return copy;
  copy = kept->frame;
  copy.seen = kept->bcp.seen().parts();
  add_scenes(copy);
  return copy;
}

void Learnt::save(PriorFile& file, PriorFile::Listener& listener) {
  const std::lock_guard lock(mutex_);
  save_locked(file, listener);
}

bool Learnt::try_save(PriorFile& file, PriorFile::Listener& listener) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock) save_locked(file, listener);
  return lock.owns_lock();
}

void Learnt::save_locked(PriorFile& file, PriorFile::Listener& listener) {
  changed_ = false;  // before the save, which may fail at once and set it again
  saved_taught_ = taught_->own_version();
  asked_ = true;
  ++requests_;
  kept_.reset();
  file.save([self = shared_from_this()] { return self->saved_copy(); }, listener);
}

}  // namespace bcp::prior
