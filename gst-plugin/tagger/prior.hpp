// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The statistics a tagger has learnt, beyond its frames: shared with its prior-group, loaded at start, saved in a file,
// forgotten on demand.
//
// Applications ask for a save or a reset from any thread, also while no frame comes. Neither reaches into the scorer:
// both work on the Learnt that the scorer uses at the moment (set_learnt()), which has a lock of its own. Encoding and
// writing are done by the file's own thread, so no frame waits for a disk. The file belongs to the group: any element
// of the group saves it, and the last one closes it.
//
// Thread safety: save() and reset() may be called by any thread, the rest by start(), stop() and the thread that
// scores.
//
// Lock order: the lock here guards which group and which Learnt are in use. The locks of these and of the file are
// taken under it, never the scorer's, which is taken before it (scorer.hpp).

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
  // Lets `tagger` join the group of the settings, loads into it what their file holds, unless another element of the
  // group has, and tells so on the bus: bcp-prior-loaded, or a warning about a file that cannot be used. All that is
  // given outlives this, or close().
  static Result<std::shared_ptr<Prior>> open(GstElement* element, const Settings& settings, const std::string& model,
                                             tag::StreamTagger& tagger, gst::Guarded<Statistics>& statistics);

  // The tagger has other labels now, and this is what was learnt of them.
  void set_learnt(const std::shared_ptr<prior::Learnt>& learnt);
  // Posts an info if the labels in use set this element apart from its group. Call it with no lock held.
  void post_if_apart();
  // Whether what was learnt stays when another stream begins: it is a group's, or there is a file.
  bool outlives_stream() const;
  // Saves if something changed and the last save is so many seconds past. 0: never. Waits for no frame that is being
  // scored and for no other save: the next frame tries again.
  void save_every(unsigned seconds);
  // Saves what changed, and waits until that is done.
  void finish();
  // As finish(). From then on save() and reset() do nothing. When the tagger is gone too, the file is free, but for
  // others of the group. The last call but for these two.
  void close();

  // Saves soon; the answer is bcp-prior-saved on the bus, or a warning. False when there is no file to save to.
  bool save();
  // Forgets what was learnt, for the whole group. The file stays until the next save.
  bool reset();

 private:
  Prior(GstElement* element, std::shared_ptr<prior::PriorGroup> group, const std::shared_ptr<prior::Learnt>& learnt,
        gst::Guarded<Statistics>& statistics)
      : element_(element), statistics_(statistics), group_(std::move(group)), learnt_(learnt) {}
  Status open_file(const Settings& settings);
  // What a save takes: all or nothing.
  struct Target {
    std::shared_ptr<prior::Learnt> learnt;
    std::shared_ptr<prior::PriorFile> file;
    explicit operator bool() const { return file != nullptr; }
  };
  // Nothing where there is no file, it is read-only, or it stores another list. REQUIRES: the lock is held.
  Target target() const;
  void save_to(const Target& to);  // REQUIRES: as above; there is a target
  void saved(const prior::PriorFile& file, const prior::PriorFile::Saved& saved) noexcept override;

  GstElement* element_;
  gst::Guarded<Statistics>& statistics_;
  bool told_ = false;  // the thread that saves: that it fails is known

  mutable std::mutex mutex_;                  // guards the rest
  bool names_file_ = false;                   // as opposed to others of its group
  std::shared_ptr<prior::PriorGroup> group_;  // null once closed
  std::weak_ptr<prior::Learnt> learnt_;       // the tagger's
};

}  // namespace bcp::tagger
