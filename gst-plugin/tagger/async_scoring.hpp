// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Scores the newest frame of a stream on the worker of its model, so that no frame waits.
//
// At most one frame is held at a time: the one that waits for its turn, or the one whose pixels are being read. It is
// given back before the model runs.
//
// Thread safety: discard() may be called by any thread, also after close(); the rest by the streaming thread, and
// close() once that has ended.

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
  // REQUIRES: all that is given lives until close(), the element and the statistics for longer.
  AsyncScoring(GstElement* element, Scorer& scorer, gst::Guarded<Statistics>& statistics);
  ~AsyncScoring() { close(); }

  // Has the frame scored when its turn comes, in place of an older one that still waits. False while the pixels of
  // another are being read: it is let go of at once. Fails where there can be no worker.
  Result<bool> offer(Frame frame);
  // Nothing waits, and nothing is being scored.
  bool is_idle();
  // The newest results that were not taken before; empty after a fault.
  std::optional<Results> take();

  // Waits for the frame that is being scored, and for one that waits when none was scored so far: then nothing is left.
  // Ends early when others call discard(). Results are gone, though learnt and told.
  void drain();
  // Lets go of everything: a frame that is being scored is not learnt, and gives no results.
  void discard();
  // discard(), and waits for the model's current run, if it is for this stream: the scorer is free.
  void settle();
  // discard(), and no more offers are to come. Waits for the model's current run, if it is for this stream.
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
  bool joined_ = false;  // the worker; the streaming thread's

  std::mutex mutex_;  // a leaf
  std::condition_variable changed_;
  bool any_done_ = false;  // and results made, since the last discard
  std::optional<Frame> waiting_;
  enum class Step { kIdle, kReading, kEncoding } step_ = Step::kIdle;
  unsigned discards_ = 0;           // so far
  unsigned begun_ = 0;              // discards_ when the frame in hand was taken
  std::optional<Results> results_;  // not taken yet

  Frame in_hand_{};  // the worker's
};

}  // namespace bcp::tagger
