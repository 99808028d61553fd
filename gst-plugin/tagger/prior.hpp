// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The learnt statistics of a tagger: shared with its prior-group, loaded at start, saved to a file, reset on request.
//
// Applications request a save or a reset from any thread, also while no frames arrive. Neither uses the scorer: both
// work on the Learnt that the scorer currently uses (set_learnt()), which has its own lock. The file's own thread
// encodes and writes, so no frame waits for a disk. The file belongs to the group: any element of the group saves it,
// and the last one closes it.
//
// Thread safety: any thread may call save() and reset(); only start(), stop() and the thread that scores call the
// others.
//
// Lock order: the scorer's lock (scorer.hpp), then this one, then those of the group, the Learnt and the file. This
// lock guards which group and which Learnt are in use.

#pragma once

#include <gst/gst.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "prior/group.hpp"
#include "support/guarded.hpp"
#include "tag/stream_tagger.hpp"
#include "tagger/settings.hpp"
#include "tagger/statistics.hpp"

namespace bcp::tagger {

class Prior final : private prior::PriorFile::Listener {
 public:
  // Makes `tagger` join the group of the settings and loads their file, unless another element of the group has loaded
  // it. Posts bcp-prior-loaded, or a warning if the file cannot be used. REQUIRES: all arguments live until close().
  static Result<std::shared_ptr<Prior>> open(GstElement* element, const Settings& settings, const std::string& model,
                                             tag::StreamTagger& tagger, gst::Guarded<Statistics>& statistics);

  // The labels of the tagger have changed; `learnt` are the statistics of the new ones.
  void set_learnt(const std::shared_ptr<prior::Learnt>& learnt);
  // Posts an info message if this element learns alone because its labels differ from those of its group. Call it with
  // no lock held.
  void post_if_apart();
  // Whether the statistics are kept when another stream begins: with a group or a file.
  bool outlives_stream() const;
  // Saves if something changed and the last save was at least `seconds` ago (0: never). Does not wait for a frame that
  // is being scored or for another save: the next frame tries again.
  void save_every(unsigned seconds);
  // Saves if something changed, and waits until the file is written.
  void finish();
  // As finish(), then releases the group, which the tagger holds too. Afterwards only save() and reset() may be called;
  // they do nothing.
  void close();

  // Starts a save, which posts bcp-prior-saved or a warning. False if there is no file to save to.
  bool save();
  // Clears the statistics, for the whole group. The file is unchanged until the next save.
  bool reset();

 private:
  Prior(GstElement* element, std::shared_ptr<prior::PriorGroup> group, const std::shared_ptr<prior::Learnt>& learnt,
        gst::Guarded<Statistics>& statistics)
      : element_(element), statistics_(statistics), group_(std::move(group)), learnt_(learnt) {}
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

  GstElement* element_;
  gst::Guarded<Statistics>& statistics_;
  bool failing_ = false;  // a warning was posted since the last good save; used by the thread that saves

  mutable std::mutex mutex_;                  // guards the members below
  bool names_file_ = false;                   // this element has set prior-file
  std::shared_ptr<prior::PriorGroup> group_;  // null once closed
  std::weak_ptr<prior::Learnt> learnt_;       // the tagger's
};

}  // namespace bcp::tagger
