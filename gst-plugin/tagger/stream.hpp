// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a running tagger has built up: the model, the labels, what was learnt, the last result.
//
// Made by start(), dropped by stop(); in between only the streaming thread touches it (serialised events included), so
// it needs no lock. Faults of frames are told on the bus, once for each kind, and counted; none stops the video.

#pragma once

#include <gst/video/video.h>

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "clip/model.hpp"
#include "decide/events.hpp"
#include "support/guarded.hpp"
#include "support/owners.hpp"
#include "tag/frame_encoder.hpp"
#include "tag/label_worker.hpp"
#include "tag/pacing.hpp"
#include "tag/stream_tagger.hpp"
#include "tagger/picture_reader.hpp"
#include "tagger/prior.hpp"
#include "tagger/settings.hpp"
#include "tagger/statistics.hpp"

namespace bcp::gst {

// When a frame is, and whether it is needed still. Times may be GST_CLOCK_TIME_NONE.
struct Moment {
  GstClockTime running_time, stream_time;
  bool late;
};

class Stream {
 public:
  // Loads the model and resolves the labels. `element` and `statistics` outlive the stream.
  static Result<std::unique_ptr<Stream>> open(GstElement* element, const Settings& settings,
                                              Guarded<Statistics>& statistics);

  clip::Model& model() { return *model_; }
  // For requests of applications; the rest of it is the stream's own.
  const std::shared_ptr<Prior>& prior() { return prior_; }

  void set_info(const GstVideoInfo& info);
  void set_orientation(const image::Orientation& orientation);
  // A stream of another id starts afresh, but for what is kept in a prior-file. One that goes on with its id keeps its
  // tags: they are not sent again.
  void begin(const char* stream_id, const Settings& settings);
  // The next frame is scored, whatever its turn: after a seek, for one.
  void score_next() { pacing_.force(); }
  // The stream is over; what was learnt is saved.
  void finish(const Settings& settings);
  // The last call before the end: saves what finish() has not.
  void close() { prior_->close(); }

  // Scores the frame, if it is its turn, and attaches the newest result. REQUIRES: the buffer is writable; set_info().
  void process(GstBuffer* buffer, const Settings& settings, const Moment& moment);

 private:
  // Kinds of faults: each is told once.
  enum class Fault { kFormat, kFrame, kInference, kScores, kLabels };

  Stream(GstElement* element, Guarded<Statistics>& statistics, std::shared_ptr<clip::Model> model,
         clip::LabelSet labels, const Settings& settings);

  void end_labels(const Settings& settings);
  void request_labels(const Settings& settings);
  void change_labels(tag::LabelWorker::Answer answer);
  void publish_label_names();
  std::int64_t pacing_time(const Moment& moment);
  // The frame's new result, or none after a fault.
  BcpResultPtr score(GstBuffer* buffer, const Settings& settings, const Moment& moment);
  BcpResultPtr make_result(GstBuffer* buffer, const Settings& settings, std::span<const float> embedding);
  void post_messages(const Settings& settings, const Moment& moment);
  void fault(Fault kind, const Error& error);
  const std::string& source_id(const Settings& settings) const;

  GstElement* element_;
  Guarded<Statistics>& statistics_;
  std::string element_name_;
  std::shared_ptr<clip::Model> model_;
  tag::FrameEncoder encoder_;
  tag::StreamTagger tagger_;  // changed under the prior's lock
  std::shared_ptr<Prior> prior_;
  unsigned requested_labels_;  // the serial of the labels in use, or on their way
  adapt::Preset preset_;
  BcpLabelsPtr label_names_;

  GstVideoInfo info_{};
  image::Orientation orientation_;
  std::optional<PictureReader> reader_;  // none: to be made for info_
  std::string stream_id_;
  tag::Pacing pacing_;
  std::optional<std::int64_t> last_running_time_;
  GstClockTime last_stream_time_ = GST_CLOCK_TIME_NONE;

  tag::Outcome outcome_;
  std::vector<GstBcpScore> scores_;  // scratch
  BcpResultPtr last_;
  decide::EventTracker events_;
  std::set<Fault> told_;
  std::unique_ptr<tag::LabelWorker> label_worker_;  // once labels were changed; last: it uses the model
};

}  // namespace bcp::gst
