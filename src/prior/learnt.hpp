// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What one stream, or several together, have learnt about one list of labels.
//
// The lock is around correcting and learning alone. A frame does both in one step: no frame of another stream comes in
// between, so streams that learn together learn what one stream would that saw their frames in the same order. How it
// is learnt (half-life, warm-up) follows the settings of the stream whose frame it is.
//
// Thread safety: any thread. Under the lock only the file's own is taken.

#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "adapt/bcp.hpp"
#include "base/result.hpp"
#include "prior/file.hpp"
#include "prior/snapshot.hpp"

namespace bcp::prior {

class Learnt {
 public:
  explicit Learnt(const std::vector<std::string>& labels) : Learnt(labels, adapt::Bcp(labels.size())) {}

  const std::vector<std::string>& labels() const { return labels_; }
  double samples() const;

  // Corrects a frame's logits. REQUIRES: as many as there are labels, in their order; so for tag().
  Status correct(std::span<const double> logits, const adapt::BcpSettings& settings, adapt::Scores& scores);
  // Corrects a frame, then learns it if admit() says so. What admit() said; on an error it was not asked.
  template <typename Admit>
  Result<bool> tag(std::span<const double> logits, const adapt::BcpSettings& settings, adapt::Scores& scores,
                   Admit&& admit);

  // Forgets everything, for all who learn here.
  void forget();
  // Grows with each forget().
  unsigned forgotten() const { return forgotten_; }

  // Adds the statistics of a file to what was learnt. Returns how many of the labels are in the file.
  std::size_t add(const prior::Snapshot& saved);
  // The same knowledge for another list of labels: those known by name keep theirs, the others start empty.
  std::shared_ptr<Learnt> relabelled(std::vector<std::string> labels) const;

  // A copy of it all. The model is for the caller to name.
  prior::SnapshotParts snapshot() const;
  // Hands a copy to the file, which saves it soon: no older copy can come after a newer one.
  void save(PriorFile& file, PriorFile::Listener& listener);
  // The same, or false without waiting while a frame is being corrected or learnt, or another copy is made.
  bool try_save(PriorFile& file, PriorFile::Listener& listener);
  // Whether something was learnt or forgotten since the last save().
  bool is_changed() const { return changed_; }
  // As if there had been no save(): it failed.
  void set_changed() { changed_ = true; }

 private:
  Learnt(std::vector<std::string> labels, adapt::Bcp bcp) : labels_(std::move(labels)), bcp_(std::move(bcp)) {}
  // REQUIRES: the lock is held.
  prior::SnapshotParts copy() const;
  void save_locked(PriorFile& file, PriorFile::Listener& listener);

  const std::vector<std::string> labels_;
  std::atomic<unsigned> forgotten_ = 0;
  std::atomic<bool> changed_ = false;  // set under the lock where something changes

  mutable std::mutex mutex_;
  adapt::Bcp bcp_;
};

template <typename Admit>
Result<bool> Learnt::tag(std::span<const double> logits, const adapt::BcpSettings& settings, adapt::Scores& scores,
                         Admit&& admit) {
  const std::lock_guard lock(mutex_);
  if (Status corrected = bcp_.correct(logits, settings, scores); !corrected) return corrected.error();
  if (!std::forward<Admit>(admit)()) return false;
  if (Status learnt = bcp_.learn(logits, settings); !learnt) return learnt.error();
  changed_ = true;
  return true;
}

}  // namespace bcp::prior
