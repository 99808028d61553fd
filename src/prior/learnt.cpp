// SPDX-License-Identifier: LGPL-2.1-or-later

#include "prior/learnt.hpp"

#include <algorithm>

namespace bcp::prior {

double Learnt::samples() const {
  const std::lock_guard lock(mutex_);
  return bcp_.seen().samples();
}

Status Learnt::correct(std::span<const double> logits, const adapt::BcpSettings& settings, adapt::Scores& scores) {
  const std::lock_guard lock(mutex_);
  return bcp_.correct(logits, settings, scores);
}

void Learnt::habits(std::span<const double> p, double weight, std::span<double> shift) {
  const std::lock_guard lock(mutex_);
  habits_.shift(bcp_.seen(), p, weight, shift);
}

void Learnt::forget() {
  adapt::Bcp nothing(labels_.size());
  const std::lock_guard lock(mutex_);
  std::swap(bcp_, nothing);
  give_up_notes();
  taught_->change([](decide::Taught& taught) { taught = {}; });
  changed_ = true;
  ++forgotten_;
}

std::size_t Learnt::add(const prior::Snapshot& saved) {
  const std::vector<int> from = adapt::rows_of(labels_, saved.labels);
  adapt::Cooccurrence seen = saved.seen.relabelled(from);
  const std::lock_guard lock(mutex_);
  seen.add(bcp_.seen());
  bcp_ = adapt::Bcp(std::move(seen), saved.settled || bcp_.settled());
  give_up_notes();
  if (!saved.taught.empty()) {
    const bool was_saved = taught_->version() == saved_taught_;
    taught_->change([&](decide::Taught& taught) { taught.add(saved.taught); });
    if (was_saved) saved_taught_ = taught_->version();
  }
  return static_cast<std::size_t>(std::count_if(from.begin(), from.end(), [](int row) { return row >= 0; }));
}

void Learnt::Notes::add(const adapt::Bcp::Sample& sample) {
  const std::lock_guard lock(mutex);
  if (samples.size() == kMost) complete = false;
  complete ? samples.push_back(sample) : samples.clear();
}

void Learnt::Notes::give_up() {
  const std::lock_guard lock(mutex);
  complete = false;
  samples.clear();
}

void Learnt::note(const adapt::Bcp::Sample& sample) {
  std::erase_if(notes_, [](const auto& each) { return each.expired(); });
  for (const auto& each : notes_) {
    if (const auto notes = each.lock()) notes->add(sample);
  }
}

void Learnt::give_up_notes() {
  for (const auto& each : notes_) {
    if (const auto notes = each.lock()) notes->give_up();
  }
  notes_.clear();
}

prior::SnapshotParts Learnt::copy() const {
  return {.labels = labels_, .seen = bcp_.seen().parts(), .settled = bcp_.settled(), .taught = taught_->copy()};
}

prior::SnapshotParts Learnt::snapshot() const {
  const std::lock_guard lock(mutex_);
  return copy();
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
  saved_taught_ = taught_->version();
  file.save(copy(), listener);
}

}  // namespace bcp::prior
