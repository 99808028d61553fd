// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The learnt statistics of a tagger: shared with its prior-group, loaded at start, saved to a file, reset on request.
//
// Applications request a save or a reset from any thread, also while no frames arrive. Neither uses the scorer: both
// work on the Learnt that the scorer currently uses (set_learnt()), which has its own lock. The file's own thread
// encodes and writes, so no frame waits for a disk. The file belongs to the group: any element of the group saves it,
// and the last one closes it.
//
// A prior-group that is an address (fleet/address.hpp) also shares with other machines. Its thread posts warnings and
// counts in the statistics; frames never wait for it. No message and no value shows the password.
//
// Thread safety: any thread may call save(), reset(), merge() and describe(); only start(), stop() and the thread that
// scores call the others.
//
// Lock order: the scorer's lock (scorer.hpp), then this one, then those of the group, the Learnt and the file. This
// lock guards which group and which Learnt are in use.

#pragma once

#include <gst/gst.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "fleet/member.hpp"
#include "prior/group.hpp"
#include "support/guarded.hpp"
#include "tag/stream_tagger.hpp"
#include "tagger/settings.hpp"
#include "tagger/statistics.hpp"

namespace bcp::tagger {

class Prior final : private prior::PriorFile::Listener, private fleet::Member::Listener {
 public:
  // Makes `tagger` join the group of the settings and loads their file, unless another element of the group has loaded
  // it. Posts bcp-prior-loaded, or a warning if the file cannot be used. REQUIRES: the element, the tagger and the
  // statistics live until close().
  static Result<std::shared_ptr<Prior>> open(GstElement* element, const Settings& settings, const clip::Bundle& bundle,
                                             tag::StreamTagger& tagger, gst::Guarded<Statistics>& statistics);

  ~Prior() {
    if (fleet_) fleet_->detach(*this);
  }
  Prior(const Prior&) = delete;
  Prior& operator=(const Prior&) = delete;

  // The labels of the tagger have changed; `learnt` are the statistics of the new ones.
  void set_learnt(const std::shared_ptr<prior::Learnt>& learnt);
  // Posts an info message if this element learns alone because its labels differ from those of its group. Call it with
  // no lock held.
  void post_if_apart();
  // Whether the statistics are kept when another stream begins: with a group or a file.
  bool outlives_stream() const;
  // Saves if something changed and the last save was at least `seconds` ago (0: never). Does not wait for a frame that
  // is being scored or for another save: the next frame tries again, or the thread of the file if frames stop.
  void save_every(unsigned seconds);
  // Saves if something changed, and waits until the file is written.
  void finish();
  // As finish(), then releases the group, which the tagger holds too. Afterwards only save(), reset() and merge() may
  // be called; they do nothing, and merge() fails.
  void close();

  // Starts a save, which posts bcp-prior-saved or a warning. False if there is no file to save to.
  bool save();
  // Clears the statistics, for the whole group. The file is unchanged until the next save.
  bool reset();
  // Adds the statistics and corrections of a file, without making frames wait for it, and posts bcp-prior-merged. An
  // error if the file cannot be read or must not be added (prior/merge.hpp), has none of the labels, or while closed.
  Status merge(const std::string& path);
  // What was learnt, for people: the pairs of the `most` labels seen most, and what feedback changed. As the signal
  // `learnt` returns it; null once closed.
  GstStructure* describe(unsigned most) const;

 private:
  Prior(GstElement* element, std::shared_ptr<prior::PriorGroup> group, const std::shared_ptr<prior::Learnt>& learnt,
        gst::Guarded<Statistics>& statistics)
      : element_(element), statistics_(statistics), group_(std::move(group)), learnt_(learnt) {}
  static Status prepare(GstElement* element, const Settings& settings, prior::PriorGroup& group,
                        const std::vector<std::string>& labels, gst::Guarded<Statistics>& statistics);
  Status open_file(const Settings& settings);
  // What to save and where: both set, or both null.
  struct Target {
    std::shared_ptr<prior::Learnt> learnt;
    std::shared_ptr<prior::PriorFile> file;
    explicit operator bool() const { return file != nullptr; }
  };
  // Empty if there is no file, it is read-only, or it stores another label list. REQUIRES: mutex_ is held.
  Target target() const;
  void save_to(const Target& to);  // REQUIRES: mutex_ is held; `to` is not empty
  void saved(const prior::PriorFile& file, const prior::PriorFile::Saved& saved) noexcept override;
  using Time = std::chrono::steady_clock::time_point;
  void remind(const Target& to, Time due);  // REQUIRES: as save_to()
  void save_due() noexcept override;
  Status join_fleet(const Settings& settings, const fleet::Address& address);
  void fleet_warning(const Error& error) noexcept override;
  void fleet_info(const std::string& text) noexcept override;
  void fleet_changed(const fleet::Condition& condition) noexcept override;

  GstElement* element_;
  gst::Guarded<Statistics>& statistics_;
  std::string stream_, model_;          // names, for the origin of what is learnt (prior/origin.hpp)
  std::atomic<unsigned> interval_ = 0;  // seconds, of save_every()
  bool failing_ = false;                // a warning was posted since the last good save; used by the thread that saves

  std::mutex merging_;                        // one merge() at a time: two of one file would count twice; before mutex_
  mutable std::mutex mutex_;                  // guards the members below
  bool names_file_ = false;                   // this element has set prior-file
  Time reminder_;                             // the last one asked for
  std::shared_ptr<prior::PriorGroup> group_;  // null once closed
  std::weak_ptr<prior::Learnt> learnt_;       // the tagger's
  std::shared_ptr<fleet::Member> fleet_;      // null: no fleet, or closed
};

}  // namespace bcp::tagger
