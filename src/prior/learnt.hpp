// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The learnt statistics of one stream, or of a group, for one label list.
//
// The lock is held only while correcting and learning. A frame does both in one step, without frames of other streams
// in between: so a group learns the same as one stream with all their frames in the same order. Half-life and warm-up
// are those of the stream that a frame belongs to.
//
// A new label list starts with a copy of the statistics (Successor). Copying and rearranging take time that grows with
// the square of the labels, so they run in the background, and frames learnt meanwhile are recorded for the successor.
//
// People's corrections are stored separately, the same for all lists of a group.
//
// Thread safety: any thread. Under the lock only these locks are taken: those of the file, of a successor's notes and
// of the corrections.

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
#include "adapt/habits.hpp"
#include "base/result.hpp"
#include "prior/file.hpp"
#include "prior/shared_taught.hpp"
#include "prior/snapshot.hpp"

namespace bcp::prior {

class Learnt {
 public:
  explicit Learnt(const std::vector<std::string>& labels) : Learnt(labels, adapt::Bcp(labels.size())) {}

  const std::vector<std::string>& labels() const { return labels_; }
  double samples() const;

  // Corrects a frame's logits. REQUIRES: one logit per label, in their order; same for tag().
  Status correct(std::span<const double> logits, const adapt::BcpSettings& settings, adapt::Scores& scores);
  // Corrects a frame, then learns it if admit() returns true. Returns that; on an error admit() is not called.
  template <typename Admit>
  Result<bool> tag(std::span<const double> logits, const adapt::BcpSettings& settings, adapt::Scores& scores,
                   Admit&& admit);

  // What the statistics add to the log odds of each label (adapt/habits.hpp).
  void habits(std::span<const double> p, double weight, std::span<double> shift);

  // People's corrections.
  const SharedTaught& taught() const { return *taught_; }
  // Changes them: `with` gets a decide::Taught&.
  template <typename Change>
  void teach(Change&& with) {
    taught_->change(std::forward<Change>(with));
  }

  // Forgets everything, including people's corrections, for the whole group.
  void forget();
  // Increases with each forget().
  unsigned forgotten() const { return forgotten_; }

  // Adds the statistics of a file. Returns how many of the labels are in the file.
  std::size_t add(const prior::Snapshot& saved);
  // The number of streams that use it; other references do not count.
  int streams() const { return streams_; }
  void join() { ++streams_; }
  void leave() { --streams_; }

  // A copy of everything, without the model's identity.
  prior::SnapshotParts snapshot() const;
  // Passes a copy to the file, which saves it soon: an older copy never replaces a newer one.
  void save(PriorFile& file, PriorFile::Listener& listener);
  // The same, or returns false at once while a frame is corrected or learnt, or another copy is made.
  bool try_save(PriorFile& file, PriorFile::Listener& listener);
  // Whether anything was learnt, corrected by people or forgotten since the last save().
  bool is_changed() const { return changed_ || taught_->version() != saved_taught_; }
  // Marks it as changed after a failed save().
  void set_changed() { changed_ = true; }

 private:
  friend class Successor;
  friend class PriorGroup;  // gives all its lists the same taught_
  // Frames learnt since a successor was started, which it learns too.
  struct Notes {
    // This many can be learnt again without work that grows with the square of the labels.
    static constexpr std::size_t kMost = adapt::Triangle::kLater;
    std::mutex mutex;  // a leaf, guards the rest
    std::vector<adapt::Bcp::Sample> samples;
    bool complete = true;  // false: too many frames, or another change
    void add(const adapt::Bcp::Sample& sample);
    void give_up();
  };
  void note(const adapt::Bcp::Sample& sample);  // REQUIRES: the lock is held; same below
  void give_up_notes();
  adapt::Bcp::Sample* sample_to_note() { return notes_.empty() ? nullptr : &sample_; }

  Learnt(std::vector<std::string> labels, adapt::Bcp bcp) : labels_(std::move(labels)), bcp_(std::move(bcp)) {}
  // REQUIRES: the lock is held.
  prior::SnapshotParts copy() const;
  void save_locked(PriorFile& file, PriorFile::Listener& listener);

  const std::vector<std::string> labels_;
  std::shared_ptr<SharedTaught> taught_ = std::make_shared<SharedTaught>();  // set before other threads use it
  std::atomic<unsigned> forgotten_ = 0;
  std::atomic<bool> changed_ = false;       // set under the lock with each change
  std::atomic<unsigned> saved_taught_ = 0;  // version of the corrections in the file
  std::atomic<int> streams_ = 0;

  mutable std::mutex mutex_;
  adapt::Bcp bcp_;
  std::vector<std::weak_ptr<Notes>> notes_;  // of its successors; usually empty
  adapt::Bcp::Sample sample_;                // scratch, like the rest
  adapt::Habits habits_;
};

template <typename Admit>
Result<bool> Learnt::tag(std::span<const double> logits, const adapt::BcpSettings& settings, adapt::Scores& scores,
                         Admit&& admit) {
  const std::lock_guard lock(mutex_);
  if (Status corrected = bcp_.correct(logits, settings, scores); !corrected) return corrected.error();
  if (!std::forward<Admit>(admit)()) return false;
  adapt::Bcp::Sample* sample = sample_to_note();
  bcp_.learn(scores, settings, sample);
  if (sample) note(*sample);
  changed_ = true;
  return true;
}

}  // namespace bcp::prior
