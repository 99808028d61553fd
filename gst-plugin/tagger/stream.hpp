// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A running tagger, as its streaming thread sees it: which frames are scored, and what each one carries.
//
// Made by start(), dropped by stop(); in between only the streaming thread touches it (serialised events included), so
// it needs no lock.

#pragma once

#include <gst/video/video.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tag/label_worker.hpp"
#include "tag/pacing.hpp"
#include "tagger/async_scoring.hpp"
#include "tagger/faults.hpp"
#include "tagger/frame.hpp"
#include "tagger/frame_keeper.hpp"
#include "tagger/scorer.hpp"

namespace bcp::tagger {

class Stream {
 public:
  // Loads the model and resolves the labels. `element` and `statistics` outlive the stream.
  static Result<std::unique_ptr<Stream>> open(GstElement* element, const Settings& settings,
                                              gst::Guarded<Statistics>& statistics);

  clip::Model& model() { return scorer_->model(); }
  // For requests of applications; the rest of it is the stream's own.
  const std::shared_ptr<Prior>& prior() { return scorer_->prior(); }
  // For feedback, which comes from any thread.
  Scorer& scorer() { return *scorer_; }
  // For flushes, which come from any thread.
  const std::shared_ptr<AsyncScoring>& async() { return async_; }

  void set_info(const GstVideoInfo& info);
  void set_orientation(const image::Orientation& orientation);
  // A stream of another id starts afresh, but for what a prior-file or a prior-group keeps. One that goes on with its
  // id keeps its tags: they are not sent again.
  void begin(const char* stream_id, const Settings& settings);
  // The next frame is scored, whatever its turn: after a seek, for one.
  void score_next() { pacing_.force(); }
  // What was on its way is gone: labels of frames before it do not show on those after it, the first of which is
  // scored.
  void flush();
  // The stream is over: waits for the frame that is being scored, and until what was learnt is saved.
  void finish(const Settings& settings);
  // The last call before the end: saves what finish() has not.
  void close();

  // Scores the frame, if it is its turn, and attaches the newest results. REQUIRES: the buffer is writable; set_info().
  void process(GstBuffer* buffer, const std::shared_ptr<const Settings>& settings, const Moment& moment);

 private:
  Stream(GstElement* element, gst::Guarded<Statistics>& statistics, const Settings& settings);

  void request_labels(const Settings& settings);
  void refuse_labels(const Error& error);
  void change_labels(tag::LabelWorker::Answer answer, const Settings& settings);
  void decide_mode(Mode wanted);
  void reformat(const FrameFormat& format);
  std::int64_t pacing_time(const Moment& moment);
  bool skips_static(const Settings& settings) const;
  void process_sync(GstBuffer* buffer, Frame frame, bool score);
  void process_async(GstBuffer* buffer, Frame frame, bool score);
  // The newest results: all of them on the first buffer after they came; later on, a region's only on buffers that
  // carry it.
  void attach(GstBuffer* buffer, const std::vector<Region>& regions, bool held);

  GstElement* element_;
  gst::Guarded<Statistics>& statistics_;
  Faults faults_;
  unsigned requested_labels_;  // the serial of the labels in use, or on their way
  std::unique_ptr<Scorer> scorer_;
  std::shared_ptr<AsyncScoring> async_;  // uses the scorer

  std::shared_ptr<const FrameFormat> format_ = std::make_shared<FrameFormat>();
  std::optional<Mode> mode_;  // kSync or kAsync; none: to be decided at the next frame
  std::string stream_id_;
  tag::Pacing pacing_;
  FrameKeeper keeper_;
  std::optional<std::int64_t> last_running_time_;
  GstClockTime last_stream_time_ = GST_CLOCK_TIME_NONE;
  bool must_score_ = false;  // the next frame that is due, even if the picture has not changed
  Results last_;
  std::unique_ptr<tag::LabelWorker> label_worker_;  // once labels were changed; last: it uses the model
};

}  // namespace bcp::tagger
