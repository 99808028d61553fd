// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The state of a running tagger on its streaming thread: which frames are scored, and which results each one carries.
//
// Created by start(), destroyed by stop(); in between only the streaming thread uses it (also for serialised events),
// so it needs no lock.

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
  // Loads the model and resolves the labels. REQUIRES: `element` and `statistics` outlive the stream.
  static Result<std::unique_ptr<Stream>> open(GstElement* element, const Settings& settings,
                                              gst::Guarded<Statistics>& statistics);

  clip::Model& model() { return scorer_->model(); }
  // Applications may call its save() and reset() from any thread.
  const std::shared_ptr<Prior>& prior() { return scorer_->prior(); }
  // Applications may call its teach() from any thread.
  Scorer& scorer() { return *scorer_; }
  // A flush may call its discard() from any thread.
  const std::shared_ptr<AsyncScoring>& async() { return async_; }

  void set_info(const GstVideoInfo& info);
  void set_orientation(const image::Orientation& orientation);
  // A stream with another id starts from an empty state, except for the statistics that a prior-file or a prior-group
  // keeps. With the same id, the orientation is kept too: tags are not sent again.
  void begin(const char* stream_id, const Settings& settings);
  // Scores the next frame even if it is not due, for example after a seek.
  void score_next() { pacing_.force(); }
  // Drops pending and held results, so that frames after the flush do not show labels of frames before it. The next
  // frame is scored.
  void flush();
  // At EOS: waits for the frame that is being scored, and until the learnt statistics are saved.
  void finish(const Settings& settings);
  // At stop, the last call: saves what finish() has not saved.
  void close();

  // Scores the frame if it is due, and attaches the newest results. REQUIRES: the buffer is writable; set_info().
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
  // Attaches the newest results: to the first buffer all of them; to later ones (`held`) those of a region only if the
  // buffer has that region.
  void attach(GstBuffer* buffer, const std::vector<Region>& regions, bool held);

  GstElement* element_;
  gst::Guarded<Statistics>& statistics_;
  Faults faults_;
  unsigned requested_labels_;  // the serial of the labels that are in use or being prepared
  std::unique_ptr<Scorer> scorer_;
  std::shared_ptr<AsyncScoring> async_;  // uses the scorer

  std::shared_ptr<const FrameFormat> format_ = std::make_shared<FrameFormat>();
  std::optional<Mode> mode_;  // kSync or kAsync; not set: chosen at the next frame
  std::string stream_id_;
  tag::Pacing pacing_;
  FrameKeeper keeper_;
  std::optional<std::int64_t> last_running_time_;
  GstClockTime last_stream_time_ = GST_CLOCK_TIME_NONE;
  bool must_score_ = false;  // the next due frame is scored even if the picture has not changed
  Results last_;
  std::unique_ptr<tag::LabelWorker> label_worker_;  // created by the first change of labels; last: it uses the model
};

}  // namespace bcp::tagger
