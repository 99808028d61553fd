// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The labels of one stream: scores an embedding against the labels, corrects, learns, decides.
//
// It has the state of one stream: which labels are shown, which frames are new. Several streams may use one model. The
// statistics of BCP and people's corrections belong to the stream or its group.
//
// Thread safety: none. One instance belongs to one thread at a time; other streams of its group may run meanwhile.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adapt/novelty.hpp"
#include "adapt/scores.hpp"
#include "adapt/settings.hpp"
#include "base/result.hpp"
#include "clip/bundle/bundle.hpp"
#include "decide/decision.hpp"
#include "decide/presence.hpp"
#include "decide/shot_mean.hpp"
#include "prior/group.hpp"
#include "tag/vocabulary.hpp"

namespace bcp::tag {

// Settings for the labels of a stream.
struct TagSettings {
  // BCP learns also while it is off, so that it can be switched on at any time.
  adapt::Correction correction = adapt::Correction::kBcp;
  adapt::AdapterSettings adapter = adapt::preset_settings(adapt::Preset::kVideo);
  decide::Rule rule = decide::Rule::kPresence;
  decide::DecisionSettings decision = decide::settings_of(decide::Rule::kPresence);
  double smoothing = 1;                  // seconds of a shot that a presence probability is averaged over
  std::optional<double> prior_strength;  // empty: the model's
  // Weight of BCP's statistics in presence (adapt/habits.hpp); ignored with a sigmoid, which has no prior.
  double stream_prior = 0;

  bool operator==(const TagSettings&) const = default;
};

// The model's values for presence.
struct Encoder {
  double logit_scale = 100;
  std::optional<double> scale =
      1;  // factor on the scores; empty: unknown, so 1 is used, and results are not calibrated
  double prior_strength = 1;
  double cut = decide::ShotMean::kCut;  // how far scores differ between shots
  double logit_bias = 0;                // added to the scores
  // Set for a model with a sigmoid: `scale` and `prior_strength` are ignored.
  std::optional<decide::Presence::Sigmoid> sigmoid = {};
};

// The values of this model; missing ones are those of clip::presence_traits().
Encoder encoder_of(const clip::Bundle& bundle);

// The result of a frame or a part of one. Reused for each frame.
struct Outcome {
  adapt::Scores scores;            // softmax before and after the correction
  decide::PresenceFrame presence;  // only with rule presence
  decide::Rule rule = decide::Rule::kPresence;
  double threshold = 0;                 // in use, except for labels with their own
  bool calibrated = false;              // probabilities are calibrated
  std::span<const double> probability;  // used for the decision; valid until the next frame or part, like the rest
  std::span<const std::uint8_t> shown;  // by `probability`
  std::span<const std::uint8_t> shown_zero_shot;  // by plain CLIP's softmax; with rule presence, by its own threshold
  const std::string* context = nullptr;           // the context word with a larger share than any label
  double context_weight = 0;                      // its share
  bool learnt = false;
  std::optional<prior::SceneChange> scene_change;  // another scene begins with the next frame
  bool settled = false;  // another frame like this one would change nothing about what is shown
};

class StreamTagger {
 public:
  // Learns alone, without a group.
  StreamTagger(Vocabulary words, const Encoder& encoder);
  ~StreamTagger() { learnt_->leave(); }
  StreamTagger(const StreamTagger&) = delete;
  StreamTagger& operator=(const StreamTagger&) = delete;

  // Continues with the statistics of this group, and learns with it.
  void join(std::shared_ptr<prior::PriorGroup> group);
  const std::shared_ptr<prior::PriorGroup>& group() const { return group_; }
  // Whether no other stream of its group has the same labels, while others have other labels.
  bool is_apart() const { return group_->is_apart(*learnt_); }

  const std::vector<clip::Label>& labels() const { return words_.labels.labels; }
  const Vocabulary& words() const { return words_; }
  // The statistics of these labels, shared by the group.
  const std::shared_ptr<prior::Learnt>& learnt() const { return learnt_; }
  double samples() const { return learnt_->samples(); }
  // The presence rule of whole frames, to explain the last outcome.
  const decide::Presence& presence() const { return *presence_; }

  // Scores the frame with this unit embedding at `time` (seconds, empty if unknown). An error affects only this frame:
  // nothing is learnt, and `outcome` is undefined.
  Status tag(std::span<const float> embedding, std::optional<double> time, const TagSettings& settings,
             Outcome& outcome);

  // The picture of the last frame was still shown at `time`: not a pause in the shot. Nothing is learnt.
  void hold(std::optional<double> time) { frame_.shot.hold(time); }

  // Scores a part of a frame with this unit embedding, corrected with the statistics of whole frames. Nothing is learnt
  // from it: a cut-out shows one thing, and little about what occurs together. So presence uses no prior table either.
  // The shown labels of a region are remembered by its id, and forgotten 5 s after it was last seen. Call it before
  // tag() of its frame, or that frame would already affect the correction. Errors as for tag().
  Status tag_region(std::span<const float> embedding, int id, std::optional<double> time, const TagSettings& settings,
                    Outcome& outcome);

  // Scores a frame as tag() would at the start of a stream, without learning or remembering: for single pictures.
  Status look(std::span<const float> embedding, const TagSettings& settings, Outcome& outcome);

  // A person's correction: this label is present in the frame with this embedding, or absent. `missed`: it was not
  // shown. In effect from the next frame on, for the whole group.
  Status teach(std::span<const float> embedding, std::size_t label, bool present, bool missed);
  // All labels of a frame; empty for unknown labels.
  Status teach(std::span<const float> embedding, std::span<const std::optional<bool>> present);

  // Continues with other labels. Labels with the same name keep their statistics. `learnt` was prepared by the group
  // for these names (PriorGroup::prepare()), so that this is fast; otherwise the time grows with the square of the
  // labels.
  void relabel(Vocabulary words, prior::Successor learnt);
  void relabel(Vocabulary words);
  // The same, or false if `learnt` has to be prepared again (PriorGroup::try_learnt()): then nothing has changed,
  // including `words`. So the time never grows with the square of the labels.
  bool try_relabel(Vocabulary& words, prior::Successor& learnt);

  // A new stream begins: no labels are shown, and its first frame is new. The statistics of BCP stay.
  void restart();

  // Forgets statistics and people's corrections, for the whole group. The next frame of each stream is learnt.
  void forget() { learnt_->forget(); }

 private:
  // State kept between frames, for the whole picture or one region.
  struct Track {
    decide::ShotMean shot;
    decide::Decision decision, zero_shot;
    double seen = 0;          // seconds
    bool relabelled = false;  // relabelled since the last frame: restarts the shot mean without a cut
  };
  void set_words(Vocabulary words);
  void set_learnt(std::shared_ptr<prior::Learnt> learnt);
  void relabel(Vocabulary words, std::shared_ptr<prior::Learnt> learnt);
  void make_presence(double strength);
  void notice_changes(const TagSettings& settings);
  // All scores of an embedding: of the labels, then of the context words.
  std::span<const double> score(std::span<const float> embedding);
  // The presence probabilities of a whole frame with these scores, if the rule is presence.
  Status judge(std::span<const double> scores, const TagSettings& settings, Outcome& outcome);
  void decide(decide::Presence& presence, Track& track, std::optional<double> time, const TagSettings& settings,
              Outcome& outcome);
  void explain(const decide::Presence& presence, Outcome& outcome) const;
  Track& region_track(int id, std::optional<double> time);

  Vocabulary words_;
  clip::TextMatrix text_;                          // of labels, then context words
  std::vector<std::optional<double>> thresholds_;  // empty if no label has its own
  Encoder encoder_;
  std::shared_ptr<prior::PriorGroup> group_;
  std::shared_ptr<prior::Learnt> learnt_;  // the group's, for these labels
  unsigned forgotten_ = 0;                 // the last learnt_->forgotten() applied to the gate
  std::optional<decide::Presence> presence_, region_presence_;
  double strength_ = 1;             // of presence_
  std::optional<unsigned> taught_;  // the version of people's corrections in presence_
  adapt::NoveltyGate gate_;
  Track frame_;
  Track still_;  // for look()
  std::map<int, Track> regions_;
  std::vector<double> scores_;  // scratch, like the rest
  decide::PresenceFrame taught_frame_;
  std::vector<double> shift_;
  std::vector<std::uint8_t> nothing_;  // shown
};

}  // namespace bcp::tag
