// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a tagger has learnt, beyond its frames: loaded at start, kept in a file, forgotten on demand.
//
// Applications ask for a save or a reset from any thread, also while no frame comes. So what was learnt has a lock: the
// streaming thread holds it while it scores a frame, whoever saves holds it for the copying. Encoding and writing are
// done by the file's own thread, and no frame waits for a disk.
//
// Thread safety: save() and reset() may be called by any thread, the rest by start(), stop() and the streaming thread.

#pragma once

#include <gst/gst.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "support/guarded.hpp"
#include "tag/prior_file.hpp"
#include "tag/stream_tagger.hpp"
#include "tagger/settings.hpp"
#include "tagger/statistics.hpp"

namespace bcp::gst {

class Prior {
 public:
  // Loads into `tagger` what the file of the settings holds, if they name one, and tells so on the bus:
  // bcp-prior-loaded, or a warning about a file that cannot be used. All that is given outlives this, or close().
  static Result<std::shared_ptr<Prior>> open(GstElement* element, const Settings& settings, const std::string& model,
                                             tag::StreamTagger& tagger, Guarded<Statistics>& statistics);

  // To be held while the tagger is changed.
  [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  // There is something to save.
  void changed() { changed_ = true; }
  // Whether what was learnt outlives the stream it was learnt from.
  bool is_kept() const { return file_ != nullptr; }
  // Saves if something changed and the last save is so many seconds past. 0: never.
  void save_every(unsigned seconds);
  // Saves what changed, and waits until that is done.
  void finish();
  // As finish(). From then on save() and reset() do nothing, and the file is free.
  void close();

  // Saves soon; the answer is bcp-prior-saved on the bus, or a warning. False when there is no file to save to.
  bool save();
  // Forgets what was learnt. The file stays until the next save.
  bool reset();

 private:
  Prior(GstElement* element, tag::StreamTagger& tagger, Guarded<Statistics>& statistics);
  void load(adapt::Snapshot snapshot);
  void saved(const tag::PriorFile::Saved& saved);
  void queue(const tag::StreamTagger& tagger);
  bool is_writable() const { return file_ && file_->is_writable(); }

  GstElement* element_;
  Guarded<Statistics>& statistics_;
  std::atomic<bool> changed_ = false;
  bool told_ = false;  // the thread that saves: that it fails is known

  std::mutex mutex_;           // what the tagger has learnt, and these; only the file's own lock is taken under it
  tag::StreamTagger* tagger_;  // none once closed
  std::chrono::steady_clock::time_point last_save_ = std::chrono::steady_clock::now();
  std::unique_ptr<tag::PriorFile> file_;  // none: nothing is kept; last: its thread uses the above
};

}  // namespace bcp::gst
