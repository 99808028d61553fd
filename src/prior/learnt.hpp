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
// A copy for a file or another node takes long with many labels, so it is made piece by piece without the lock: the
// statistics are held meanwhile (adapt/cooccurrence.hpp), and frames are learnt as usual. Frames that come faster than
// the copy break it, and it starts again.
//
// Statistics of other machines (fleet/) and of a base (base.hpp) are added to the own ones where frames read them, and
// nowhere else: files and other machines get the own ones only. They are prepared elsewhere and replaced in one step,
// so no frame waits.
//
// With scenes (scenes.hpp) the own statistics are those of the awake scene; the sum of the others is added to them with
// the share that predicts the stream best (adapt/scene_share.hpp). A file gets all scenes and their sum.
//
// Thread safety: any thread. Under the lock only these locks are taken: those of the file, of a successor's notes and
// of the corrections.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "adapt/bcp.hpp"
#include "adapt/habits.hpp"
#include "base/result.hpp"
#include "prior/file.hpp"
#include "prior/learnt_table.hpp"
#include "prior/scenes.hpp"
#include "prior/shared_taught.hpp"
#include "prior/snapshot.hpp"

namespace bcp::prior {

class Learnt : public std::enable_shared_from_this<Learnt> {
 public:
  explicit Learnt(const std::vector<std::string>& labels) : Learnt(labels, adapt::Bcp(labels.size())) {}

  const std::vector<std::string>& labels() const { return labels_; }
  double samples() const;      // own, and those of other machines
  double own_samples() const;  // without those of other machines; of all scenes

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

  // Names the stream that learns, for the snapshot: its source-id or name, and the name of its model. The first call
  // counts, before add().
  void set_origin(const std::string& stream, const std::string& model);

  // Replaces the statistics of other machines; null: none. Returns the old ones, so that the caller frees them.
  // REQUIRES: for these labels.
  std::shared_ptr<const adapt::Others> set_others(std::shared_ptr<const adapt::Others> others);
  // Replaces the base that was prepared by bounded(); null: none. Same requirement.
  void set_base(std::shared_ptr<const adapt::Others> base);

  // Distinguishes up to so many scenes; 1: none. Call it before add() and before frames are learnt.
  void set_scenes(std::size_t most);
  // A frame with this unit embedding was learnt. Returns the change if another scene begins with the next frame.
  std::optional<SceneChange> follow(std::span<const float> embedding, std::optional<double> time);
  // Another stream begins: see SceneDetector::restart().
  void restart_scenes();
  struct SceneState {
    std::uint32_t id = 0;  // 0: scenes are not distinguished
    std::size_t count = 0;
    std::uint64_t changes = 0;
  };
  SceneState scene() const;

  // Adds statistics to the own ones, without making frames wait: frames learnt meanwhile are learnt again. Returns
  // false and adds nothing if they were too many, or after another change; then call it again. REQUIRES: for these
  // labels.
  bool absorb(adapt::Cooccurrence more, bool settled);

  // Adds the statistics of the stream's own file, before frames are learnt. Returns how many of the labels are in the
  // file.
  std::size_t add(const prior::Snapshot& saved);
  // Adds the statistics and corrections of another stream, while frames are learnt: they do not wait. Returns how many
  // of the labels it has; nothing is added if that is 0.
  std::size_t merge(const prior::Snapshot& other);
  // The pairs of the `most` labels that were seen most, own statistics only. Frames wait for a look at these pairs, not
  // for a copy of all.
  LearntTable table(std::size_t most) const;
  // The number of streams that use it; other references do not count.
  int streams() const { return streams_; }
  void join() { ++streams_; }
  void leave() { --streams_; }

  // Where the statistics come from; without the own stream if it has learnt nothing.
  std::vector<Origin> origins() const;

  // A copy of everything, without the model's identity. Frames do not wait for it.
  prior::SnapshotParts snapshot() const;
  // The file saves a copy soon, which its own thread makes. The copy has everything learnt before this call, and
  // nothing that a later forget() has cleared is missing.
  void save(PriorFile& file, PriorFile::Listener& listener);
  // The same, or returns false at once while a frame is corrected or learnt.
  bool try_save(PriorFile& file, PriorFile::Listener& listener);
  // Whether anything was learnt, corrected by people or forgotten since the last save().
  bool is_changed() const { return changed_ || taught_->own_version() != saved_taught_; }
  // Increases with each change of the own statistics: by one for each learnt frame.
  std::uint64_t revision() const { return revision_; }
  // Whether a file was added.
  bool is_loaded() const { return loaded_; }
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
  void note_change() {
    changed_ = true;
    ++revision_;
  }
  adapt::Bcp::Sample* sample_to_note() { return notes_.empty() ? nullptr : &sample_; }

  Learnt(std::vector<std::string> labels, adapt::Bcp bcp) : labels_(std::move(labels)), bcp_(std::move(bcp)) {}
  // Everything but the pairs, which take long. REQUIRES: the lock is held; same below.
  prior::SnapshotParts copy_frame() const;
  void save_locked(PriorFile& file, PriorFile::Listener& listener);
  // Before bcp_ is replaced, and before a frame is learnt that cannot be deferred.
  void break_copy() const;
  std::optional<adapt::Cooccurrence::Parts> copy_pairs(std::unique_lock<std::mutex>& lock) const;
  // What the file saves.
  prior::SnapshotParts saved_copy();
  // Statistics that frames read besides the own ones: of other machines, of the base.
  enum Extra { kOthers, kBase, kExtras };
  std::shared_ptr<const adapt::Others> set_extra(Extra which, std::shared_ptr<const adapt::Others> value);
  // Adds the sleeping scenes up: at once for few labels, else on another thread.
  void use_asleep(const Scenes::Asleep& asleep);
  void add_asleep(const Scenes::Asleep& asleep);
  void set_asleep(std::shared_ptr<const adapt::Others> asleep);
  adapt::Added added() const;  // REQUIRES: the lock is held; same below
  void weigh_asleep(std::span<const double> p);
  // REQUIRES: the lock is held.
  adapt::Bcp restore_scenes(const prior::Snapshot& saved, std::span<const int> from);

  const std::vector<std::string> labels_;
  std::shared_ptr<SharedTaught> taught_ = std::make_shared<SharedTaught>();  // set before other threads use it
  std::atomic<unsigned> forgotten_ = 0;
  std::atomic<bool> changed_ = false;  // set under the lock with each change
  std::atomic<std::uint64_t> revision_ = 0;
  std::atomic<bool> loaded_ = false;
  std::atomic<unsigned> saved_taught_ = 0;  // version of the corrections in the file
  std::atomic<int> streams_ = 0;

  mutable std::mutex copying_;  // one copy at a time; taken before mutex_
  mutable std::mutex pieces_;   // a leaf: held for each piece of a copy
  mutable std::mutex mutex_;
  // bcp_ is held by a copy. Changed under mutex_ and pieces_.
  mutable bool held_ = false;
  mutable adapt::Bcp bcp_;      // the own statistics
  bool asked_ = false;          // a save was requested whose copy is not complete
  std::uint64_t requests_ = 0;  // of saves
  struct Kept {
    adapt::Bcp bcp;
    prior::SnapshotParts frame;
  };
  std::shared_ptr<Kept> kept_;   // what that save was requested for and forget() has cleared since
  std::vector<Origin> origins_;  // of other streams, or earlier ones
  Origin own_{};                 // of this one; `last` is set when it is copied
  std::mutex setting_;           // one set_extra() at a time; taken before mutex_
  std::shared_ptr<const adapt::Others> extras_[kExtras];
  std::shared_ptr<const adapt::Others> others_;  // the sum of extras_; null: none
  std::shared_ptr<const adapt::Others> asleep_;  // the sum of the sleeping scenes; null: none, or it is being added up
  Scenes scenes_;
  std::vector<std::weak_ptr<Notes>> notes_;  // of its successors; usually empty
  adapt::Bcp::Sample sample_;                // scratch, like the rest
  adapt::Habits habits_;
  std::future<void> adding_;  // add_asleep(); last, so that it ends before the members that it uses
};

template <typename Admit>
Result<bool> Learnt::tag(std::span<const double> logits, const adapt::BcpSettings& settings, adapt::Scores& scores,
                         Admit&& admit) {
  const std::lock_guard lock(mutex_);
  if (Status corrected = bcp_.correct(logits, settings, scores, added()); !corrected) return corrected.error();
  if (!std::forward<Admit>(admit)()) return false;
  adapt::Bcp::Sample* sample = sample_to_note();
  if (held_ && !bcp_.seen().has_room()) break_copy();
  weigh_asleep(scores.zero_shot_probability);
  bcp_.learn(scores, settings, sample);
  if (sample) note(*sample);
  ++own_.samples;
  note_change();
  return true;
}

}  // namespace bcp::prior
