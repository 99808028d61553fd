// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Turns a frame into results: reads the pixels, corrects the scores of the model, learns, decides, posts messages.
//
// The caller runs the model between prepare() and finish(): on the streaming thread, or on the worker thread that all
// streams of a model share.
//
// Thread safety: one thread at a time calls prepare(), finish(), score() and count(). Any thread calls teach(). Only
// the streaming thread calls the others, also while another thread scores.
//
// Locks, in the order they are taken:
//   posting_   guards no data: it keeps events in order while they are posted
//   mutex_     guards the labels and which are shown: tagger_, label_names_, events_, recent_
//   Prior's    which Learnt is in use (prior.hpp); then those of the group, the Learnt and the file
// No message is posted while mutex_ or a later lock is held.

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

// One result for each scored part of a frame: the whole frame and its regions.
using Results = std::vector<gst::BcpResultPtr>;

class Scorer {
 public:
  // Loads the model, resolves the labels, loads the learnt statistics. REQUIRES: all arguments outlive the scorer.
  static Result<std::unique_ptr<Scorer>> open(GstElement* element, const Settings& settings,
                                              gst::Guarded<Statistics>& statistics, Faults& faults);

  // The pictures that the model has to encode, valid until finish(). Not set after a fault (already posted), or if the
  // picture has not changed and the previous results are still valid. The frame's buffer is not used after prepare().
  struct Preparation {
    std::optional<clip::Pictures> pictures;
    bool is_static = false;
  };
  Preparation prepare(const Frame& frame);
  // The results of the frame, also posted on the bus if the settings say so. Empty after a fault (already posted), or
  // if wanted() returns false; wanted() is called with mutex_ held, before the frame is learnt. REQUIRES: prepare() of
  // the same frame.
  Results finish(const Frame& frame, const Status& encoded, const std::function<bool()>& wanted);
  // Counts the results of finish(), if any. Call after publishing them, so counters never run ahead of results.
  void count();
  // prepare(), the model, finish() and count() in one call. nullopt: the previous results are still valid.
  std::optional<Results> score(const Frame& frame);

  clip::Model& model() { return *model_; }
  const std::shared_ptr<Prior>& prior() { return prior_; }

  // For preparing a change of labels on another thread.
  std::shared_ptr<prior::PriorGroup> prior_group() const { return tagger_.group(); }
  struct Relabelled {
    std::size_t labels;
    std::shared_ptr<void> old;  // the statistics of the old labels if no other element has them: PriorGroup::retire()
  };
  // Switches to other labels, with the statistics prepared for them. nullopt, and no change, if these are outdated and
  // must be prepared again. With `now` they are prepared here, which may take long.
  std::optional<Relabelled> relabel(tag::Vocabulary& words, prior::Successor& learnt, const Settings& settings,
                                    bool now);
  // Another stream begins: clears the learnt statistics, unless a prior-file or a prior-group keeps them.
  void restart();
  // A person reports that this label is present or absent in the frame with this pts (GST_CLOCK_TIME_NONE: the newest).
  // Any thread. The caller posts the error as a warning.
  Status teach(const std::string& label, bool present, GstClockTime pts);
  // The stream has ended: posts label-off events for the shown labels.
  void end_labels(const Settings& settings, GstClockTime stream_time);

 private:
  Scorer(GstElement* element, gst::Guarded<Statistics>& statistics, Faults& faults, std::shared_ptr<clip::Model> model,
         tag::Vocabulary words, const Settings& settings);
  void publish_label_names();
  // Posts warnings and infos about the labels in use. Call it with no lock held.
  void post_notes(const Settings& settings);
  // Whether the previous results are valid for this frame.
  bool is_static(const Frame& frame, const PictureReader::Reading& reading);
  // Fills regions_ and parts_: the regions that are scored, and their place in the picture.
  void choose_regions(const Frame& frame, const PictureReader::Reading& reading);
  // Scores what was encoded: the regions, then the whole frame, which is the one that is learnt. If not `all` pictures
  // were encoded, skips the missing regions; empty if the whole frame is scored and missing.
  Result<Results> tag(const Frame& frame, bool all);
  gst::BcpResultPtr make_result(const Frame& frame, int region, std::span<const float> embedding);
  // Keeps the embedding for later feedback.
  void remember(const Frame& frame, std::span<const float> embedding);
  std::vector<decide::Event> update_events(const Frame& frame);
  std::string source_id(const Settings& settings) const;

  GstElement* element_;
  gst::Guarded<Statistics>& statistics_;
  Faults& faults_;
  const std::string element_name_;
  const adapt::Preset preset_;
  std::shared_ptr<clip::Model> model_;

  // Used only by the thread that scores.
  std::shared_ptr<const FrameFormat> format_;  // the one reader_ was made for
  std::optional<PictureReader> reader_;
  tag::FrameEncoder encoder_;
  tag::StillGate still_;
  bool has_results_ = false;  // the last frame has results, its own or held ones
  bool may_hold_ = false;     // the current frame may use the results of the previous one
  // What results depend on besides the picture. Any change makes the next due frame be scored.
  struct Circumstances {
    std::shared_ptr<const Settings> settings;
    unsigned taught = 0, forgotten = 0;  // versions
    bool operator==(const Circumstances&) const = default;
  };
  Circumstances circumstances_;       // of the last frame
  std::vector<int> regions_;          // the ids of the scored regions
  std::vector<image::Rect> parts_;    // their place in the picture
  tag::Outcome outcome_;              // of the picture scored last
  std::vector<std::uint32_t> shown_;  // the labels that it shows
  Stopwatch stopwatch_;
  ResultTimes times_;
  int batch_ = 0;  // pictures in the model's run of the current frame
  struct Made {
    std::size_t regions;
    unsigned shown;
    double samples;
    std::uint64_t taught;
    prior::Learnt::SceneState scene;
    tag::TagSettings settings;
    bool calibrated;
    gst::BcpResultPtr result;  // the frame's; null: only regions were scored
  };
  std::optional<Made> uncounted_;

  // Held from finding events until they are posted, so that they are posted in order.
  std::mutex posting_;

  std::mutex mutex_;  // guards the four members below
  tag::StreamTagger tagger_;
  gst::BcpLabelsPtr label_names_;
  decide::EventTracker events_;
  tag::Recent recent_;  // embeddings of recent frames

  std::shared_ptr<Prior> prior_;
};

}  // namespace bcp::tagger
