// SPDX-License-Identifier: LGPL-2.1-or-later
//
// From a frame to its results: reads the pixels, corrects what the model says, learns, decides, tells the bus.
//
// Running the model lies between prepare() and finish() and is somebody else's: the streaming thread's, or that of the
// worker all streams of a model share.
//
// Thread safety: prepare(), finish() and score() belong to one thread at a time. The rest is the streaming thread's,
// also while another one scores.
//
// Locks, in the order they are taken:
//   telling_   no data: events are posted in the order they were found
//   mutex_     the labels and what is shown of them: tagger_, label_names_, events_
//   Prior's    which Learnt is in use (prior.hpp); then those of the group, the Learnt and the file
// Nothing is posted under mutex_ or a lock after it.

#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "clip/model.hpp"
#include "decide/events.hpp"
#include "support/guarded.hpp"
#include "support/owners.hpp"
#include "tag/frame_encoder.hpp"
#include "tag/recent.hpp"
#include "tag/still_gate.hpp"
#include "tag/stream_tagger.hpp"
#include "tagger/faults.hpp"
#include "tagger/frame.hpp"
#include "tagger/picture_reader.hpp"
#include "tagger/prior.hpp"
#include "tagger/settings.hpp"
#include "tagger/statistics.hpp"
#include "tagger/stopwatch.hpp"

namespace bcp::tagger {

// One for each thing of a frame that was scored.
using Results = std::vector<gst::BcpResultPtr>;

class Scorer {
 public:
  // Loads the model, resolves the labels, takes up what was learnt. All that is given outlives the scorer.
  static Result<std::unique_ptr<Scorer>> open(GstElement* element, const Settings& settings,
                                              gst::Guarded<Statistics>& statistics, Faults& faults);

  // What the model is to encode of the frame, which stays valid until finish(). None after a fault, which was posted,
  // or where the results of the frame before hold because the picture has not changed. The frame's buffer is not needed
  // any longer.
  struct Preparation {
    std::optional<clip::Pictures> pictures;
    bool is_static = false;
  };
  Preparation prepare(const Frame& frame);
  // The frame's results, posted on the bus where the settings want it; none after a fault, which was posted, nor if
  // wanted() is false, which is called with mutex_ held before anything is learnt. REQUIRES: prepare() of the same
  // frame.
  Results finish(const Frame& frame, const Status& encoded, const std::function<bool()>& wanted);
  // Counts what finish() made, if anything: once it is where the next frame finds it, so that the statistics never
  // speak of results that cannot be had yet.
  void count();
  // All of it, here and now. None: the results of the frame before hold.
  std::optional<Results> score(const Frame& frame);

  clip::Model& model() { return *model_; }
  const std::shared_ptr<Prior>& prior() { return prior_; }

  // For what a change of labels takes beside the frames.
  std::shared_ptr<prior::PriorGroup> prior_group() const { return tagger_.group(); }
  struct Relabelled {
    std::size_t labels;
    std::shared_ptr<void> old;  // what was learnt about the old ones, if nobody else has it: see PriorGroup::retire()
  };
  // Goes on with other labels, and with what the group has prepared for them. None where that has to be prepared anew:
  // nothing has changed then. With `now` it is prepared here, however long that takes.
  std::optional<Relabelled> relabel(tag::Vocabulary& words, prior::Successor& learnt, const Settings& settings,
                                    bool now);
  // Another stream begins: what was learnt goes, unless it is kept.
  void restart();
  // A person says that this label is present in the frame with this time (GST_CLOCK_TIME_NONE: the newest), or is not.
  // Any thread. The error is for a warning.
  Status teach(const std::string& label, bool present, GstClockTime pts);
  // What is shown is shown no longer.
  void end_labels(const Settings& settings, GstClockTime stream_time);

 private:
  Scorer(GstElement* element, gst::Guarded<Statistics>& statistics, Faults& faults, std::shared_ptr<clip::Model> model,
         tag::Vocabulary words, const Settings& settings);
  void publish_label_names();
  // Posts what users have to know about the words in use. Call it with no lock held.
  void post_notes(const Settings& settings);
  // Whether the results of the frame before hold for this one.
  bool is_static(const Frame& frame, const PictureReader::Reading& reading);
  // Which regions of the frame are scored, and which part of the picture each one is.
  void choose_regions(const Frame& frame, const PictureReader::Reading& reading);
  // Scores all that was encoded, the frame last: it is what teaches. Where not `all` was, leaves out the regions that
  // were not; nothing at all without the frame, if that is scored.
  Result<Results> tag(const Frame& frame, bool all);
  gst::BcpResultPtr make_result(const Frame& frame, int region, std::span<const float> embedding);
  // For feedback that comes later.
  void remember(const Frame& frame, std::span<const float> embedding);
  std::vector<decide::Event> update_events(const Frame& frame);
  std::string source_id(const Settings& settings) const;

  GstElement* element_;
  gst::Guarded<Statistics>& statistics_;
  Faults& faults_;
  const std::string element_name_;
  const adapt::Preset preset_;
  std::shared_ptr<clip::Model> model_;

  // Of whoever scores.
  std::shared_ptr<const FrameFormat> format_;  // that reader_ was made for
  std::optional<PictureReader> reader_;
  tag::FrameEncoder encoder_;
  tag::StillGate still_;
  bool has_results_ = false;  // the last frame, its own or those that held for it
  bool may_hold_ = false;     // those of the frame before, for the frame in hand
  // What results depend on besides the picture. Any change of these makes the next frame that is due be scored.
  struct Circumstances {
    std::shared_ptr<const Settings> settings;
    unsigned taught = 0, forgotten = 0;  // versions
    bool operator==(const Circumstances&) const = default;
  };
  Circumstances circumstances_;       // of the last frame that was looked at
  std::vector<int> regions_;          // the ids of those that are scored
  std::vector<image::Rect> parts_;    // and where they are
  tag::Outcome outcome_;              // of what was scored last
  std::vector<std::uint32_t> shown_;  // the labels that it shows
  Stopwatch stopwatch_;
  ResultTimes times_;
  int batch_ = 0;  // pictures in the run of the frame in hand
  struct Made {
    std::size_t regions;
    unsigned shown;
    double samples;
    std::uint64_t taught;
    tag::TagSettings settings;
    bool calibrated;
    gst::BcpResultPtr result;  // the frame's; null: only regions were scored
  };
  std::optional<Made> uncounted_;

  // Held from when events are found out until they are posted, so that none is posted after one that came later.
  std::mutex telling_;

  std::mutex mutex_;  // guards the next four
  tag::StreamTagger tagger_;
  gst::BcpLabelsPtr label_names_;
  decide::EventTracker events_;
  tag::Recent recent_;  // frames

  std::shared_ptr<Prior> prior_;
};

}  // namespace bcp::tagger
