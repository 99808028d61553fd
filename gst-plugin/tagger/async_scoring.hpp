// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Scores the newest frame of a stream on the worker thread of its model, so that no frame waits.
//
// At most one frame is held at a time: the queued one, or the one whose pixels are being read. Its buffer is released
// before the model runs.
//
// Thread safety: any thread may call discard(), also after close(). Only the streaming thread calls the others; close()
// is called after that thread has ended.

#pragma once

#include <gst/gst.h>

#include <condition_variable>
#include <mutex>
#include <optional>

#include "clip/image_worker.hpp"
#include "support/guarded.hpp"
#include "tagger/frame.hpp"
#include "tagger/scorer.hpp"
#include "tagger/statistics.hpp"

namespace bcp::tagger {

class AsyncScoring final : clip::ImageWorker::Client {
 public:
  // REQUIRES: the scorer lives until close(); the element and the statistics outlive this object.
  AsyncScoring(GstElement* element, Scorer& scorer, gst::Guarded<Statistics>& statistics);
  ~AsyncScoring() { close(); }

  // Queues the frame in place of an older queued one. Returns false and drops the frame while the pixels of another
  // frame are being read. Fails if the worker thread cannot be started.
  Result<bool> offer(Frame frame);
  // True if no frame is queued or being scored.
  bool is_idle();
  // The newest results, once; nullopt if there are no new ones; empty after a fault.
  std::optional<Results> take();

  // Waits until no frame is queued or being scored. A queued frame is dropped, unless it would be the first result.
  // Returns early when another thread calls discard(). The results are learnt and posted, but cannot be taken.
  void drain();
  // Drops the queued frame and the results. A frame that is being scored is not learnt and yields no results.
  void discard();
  // discard(), then waits for the model's current run if it is for this stream. The scorer is unused afterwards.
  void settle();
  // discard(), then waits for the model's current run if it is for this stream. No offer() may follow.
  void close();

 private:
  std::optional<clip::Pictures> prepare() noexcept override;
  void done(const Status& encoded) noexcept override;
  void end(std::optional<Results> results) noexcept;
  void count_dropped(const std::optional<Results>& unseen);
  bool is_wanted();

  GstElement* element_;
  Scorer& scorer_;
  gst::Guarded<Statistics>& statistics_;
  clip::ImageWorker& worker_;
  bool joined_ = false;  // has joined the worker; used by the streaming thread only

  std::mutex mutex_;  // innermost: no other lock is taken while it is held
  std::condition_variable changed_;
  bool any_done_ = false;  // there were results since the last discard
  std::optional<Frame> waiting_;
  enum class Step { kIdle, kReading, kEncoding } step_ = Step::kIdle;
  unsigned discards_ = 0;           // number of calls of discard()
  unsigned begun_ = 0;              // discards_ when the current frame was started
  std::optional<Results> results_;  // not taken yet

  Frame current_{};  // used by the worker only
};

}  // namespace bcp::tagger
