// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What one stream, or several together, have learnt about one list of labels.
//
// The lock is around correcting and learning alone. A frame does both in one step: no frame of another stream comes in
// between, so streams that learn together learn what one stream would that saw their frames in the same order. How it
// is learnt (half-life, warm-up) follows the settings of the stream whose frame it is.
//
// A list of labels that follows another one begins with a copy of what was learnt (Successor). Copying and rearranging
// take a time that grows with the square of the labels, so it is done beside the frames, and what they teach meanwhile
// is noted for the successor.
//
// What people have taught is beside it, and is the same for all lists of a group.
//
// Thread safety: any thread. Under the lock only the file's own is taken, that of a successor's notes and that of what
// was taught.

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

  // Corrects a frame's logits. REQUIRES: as many as there are labels, in their order; so for tag().
  Status correct(std::span<const double> logits, const adapt::BcpSettings& settings, adapt::Scores& scores);
  // Corrects a frame, then learns it if admit() says so. What admit() said; on an error it was not asked.
  template <typename Admit>
  Result<bool> tag(std::span<const double> logits, const adapt::BcpSettings& settings, adapt::Scores& scores,
                   Admit&& admit);

  // What the statistics add to the log odds of each label (adapt/habits.hpp).
  void habits(std::span<const double> p, double weight, std::span<double> shift);

  // What people have taught.
  const SharedTaught& taught() const { return *taught_; }
  // Changes it: `with` gets a decide::Taught&.
  template <typename Change>
  void teach(Change&& with) {
    taught_->change(std::forward<Change>(with));
  }

  // Forgets everything, also what was taught, for all who learn here.
  void forget();
  // Grows with each forget().
  unsigned forgotten() const { return forgotten_; }

  // Adds the statistics of a file to what was learnt. Returns how many of the labels are in the file.
  std::size_t add(const prior::Snapshot& saved);
  // How many streams use it. Other references do not count.
  int streams() const { return streams_; }
  void join() { ++streams_; }
  void leave() { --streams_; }

  // A copy of it all. The model is for the caller to name.
  prior::SnapshotParts snapshot() const;
  // Hands a copy to the file, which saves it soon: no older copy can come after a newer one.
  void save(PriorFile& file, PriorFile::Listener& listener);
  // The same, or false without waiting while a frame is being corrected or learnt, or another copy is made.
  bool try_save(PriorFile& file, PriorFile::Listener& listener);
  // Whether something was learnt, taught or forgotten since the last save().
  bool is_changed() const { return changed_ || taught_->version() != saved_taught_; }
  // As if there had been no save(): it failed.
  void set_changed() { changed_ = true; }

 private:
  friend class Successor;
  friend class PriorGroup;  // gives all its lists the same taught_
  // The frames learnt since a successor was begun, for it to learn too.
  struct Notes {
    // So many can be learnt again without the work that grows with the square of the labels.
    static constexpr std::size_t kMost = adapt::Triangle::kLater;
    std::mutex mutex;  // a leaf, guards the rest
    std::vector<adapt::Bcp::Sample> samples;
    bool complete = true;  // no: there were too many, or something else has changed
    void add(const adapt::Bcp::Sample& sample);
    void give_up();
  };
  void note(const adapt::Bcp::Sample& sample);  // REQUIRES: the lock is held; so below
  void give_up_notes();
  adapt::Bcp::Sample* sample_to_note() { return notes_.empty() ? nullptr : &sample_; }

  Learnt(std::vector<std::string> labels, adapt::Bcp bcp) : labels_(std::move(labels)), bcp_(std::move(bcp)) {}
  // REQUIRES: the lock is held.
  prior::SnapshotParts copy() const;
  void save_locked(PriorFile& file, PriorFile::Listener& listener);

  const std::vector<std::string> labels_;
  std::shared_ptr<SharedTaught> taught_ = std::make_shared<SharedTaught>();  // set before anybody else has this
  std::atomic<unsigned> forgotten_ = 0;
  std::atomic<bool> changed_ = false;       // set under the lock where something changes
  std::atomic<unsigned> saved_taught_ = 0;  // the version of what was taught that the file has
  std::atomic<int> streams_ = 0;

  mutable std::mutex mutex_;
  adapt::Bcp bcp_;
  std::vector<std::weak_ptr<Notes>> notes_;  // of those that follow it; nearly always none
  adapt::Bcp::Sample sample_;                // scratch, so below
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
