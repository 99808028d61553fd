// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a tagger has learnt, beyond its frames: shared with its prior-group, loaded at start, kept in a file, forgotten
// on demand.
//
// Applications ask for a save or a reset from any thread, also while no frame comes. So the tagger has a lock: who
// scores a frame holds it, and so does who saves, for the copying. Encoding and writing are done by the file's own
// thread, and no frame waits for a disk. The file is the group's, as is what it keeps: any element of the group saves
// it, and the last one closes it.
//
// Thread safety: save() and reset() may be called by any thread, the rest by start(), stop() and who scores.

#pragma once

#include <gst/gst.h>

#include <memory>
#include <mutex>
#include <string>

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

  // To be held while the tagger is changed.
  [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  // Tells the bus if the labels the tagger has now set it apart from its group. Call it with no lock held.
  void tell_if_apart();
  // Whether what was learnt outlives the stream it was learnt from.
  bool is_kept() const { return !tagger_->group().name().empty() || tagger_->group().file(); }
  // Saves if something changed and the last save is so many seconds past. 0: never. Waits for
  // no frame of this stream that is being scored.
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
  Prior(GstElement* element, tag::StreamTagger& tagger, gst::Guarded<Statistics>& statistics)
      : element_(element), statistics_(statistics), tagger_(&tagger) {}
  Status open_file(const Settings& settings);
  std::shared_ptr<prior::PriorFile> writable_file() const;
  void queue(prior::PriorFile& file);
  std::shared_ptr<prior::PriorFile> save_changes();
  void saved(const prior::PriorFile& file, const prior::PriorFile::Saved& saved) noexcept override;

  GstElement* element_;
  gst::Guarded<Statistics>& statistics_;
  bool names_file_ = false;  // as opposed to others of its group
  bool told_ = false;        // the thread that saves: that it fails is known

  std::mutex mutex_;           // the tagger; the locks of what it learns, its group and their file are taken under it
  tag::StreamTagger* tagger_;  // none once closed
};

}  // namespace bcp::tagger
