// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One stream's labels: scores an embedding against the labels, corrects, learns, decides.
//
// It holds everything that is a stream's own: what is shown, which frames are new. The model is
// not: any number of streams may get their embeddings from one. What BCP has learnt and what people have taught is the
// stream's own or its group's.
//
// Thread safety: none. One instance belongs to one thread at a time; others of its group may run meanwhile.

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

// What the labels of a stream depend on besides its frames.
struct TagSettings {
  // BCP goes on learning while it is switched off, so that it can be switched on at any time.
  adapt::Correction correction = adapt::Correction::kBcp;
  adapt::AdapterSettings adapter = adapt::preset_settings(adapt::Preset::kVideo);
  decide::Rule rule = decide::Rule::kPresence;
  decide::DecisionSettings decision = decide::settings_of(decide::Rule::kPresence);
  double smoothing = 1;                  // seconds of a shot that a presence probability is averaged over
  std::optional<double> prior_strength;  // none: the model's
  // Weight of what BCP has counted in presence (adapt/habits.hpp); not used with a sigmoid, which has no prior.
  double stream_prior = 0;

  bool operator==(const TagSettings&) const = default;
};

// What the model brings to presence.
struct Encoder {
  double logit_scale = 100;
  std::optional<double> scale = 1;  // on the scores; none: unknown, so that 1 is used and nothing is calibrated
  double prior_strength = 1;
  double cut = decide::ShotMean::kCut;  // how far scores differ from shot to shot
  double logit_bias = 0;                // added to the scores
  // Set for a model that is scored with a sigmoid: `scale` and `prior_strength` are not used.
  std::optional<decide::Presence::Sigmoid> sigmoid = {};
};

// What this model brings. Where the bundle says nothing, as clip::presence_traits() has it.
Encoder encoder_of(const clip::Bundle& bundle);

// What one frame, or a part of one, came to. Reused from frame to frame.
struct Outcome {
  adapt::Scores scores;            // softmax before and after the correction
  decide::PresenceFrame presence;  // by rule presence only
  decide::Rule rule = decide::Rule::kPresence;
  double threshold = 0;                           // in force, but for labels that have their own
  bool calibrated = false;                        // probabilities can be taken at their word
  std::span<const double> probability;            // what was decided by; valid until the next frame or part, so below
  std::span<const std::uint8_t> shown;            // by `probability`
  std::span<const std::uint8_t> shown_zero_shot;  // by plain CLIP's softmax; with rule presence, by its own threshold
  const std::string* context = nullptr;           // the context word that explains the frame better than any label
  double context_weight = 0;                      // its share
  bool learnt = false;
  bool settled = false;  // another frame like this one would change nothing about what is shown
};

class StreamTagger {
 public:
  // Learns for itself.
  StreamTagger(Vocabulary words, const Encoder& encoder);
  ~StreamTagger() { learnt_->leave(); }
  StreamTagger(const StreamTagger&) = delete;
  StreamTagger& operator=(const StreamTagger&) = delete;

  // Goes on with what this group has learnt, and learns with it from now on.
  void join(std::shared_ptr<prior::PriorGroup> group);
  const std::shared_ptr<prior::PriorGroup>& group() const { return group_; }
  // Whether nobody in its group has the same labels, while others have other ones.
  bool is_apart() const { return group_->is_apart(*learnt_); }

  const std::vector<clip::Label>& labels() const { return words_.labels.labels; }
  const Vocabulary& words() const { return words_; }
  // What was learnt about these labels, by all who learn together.
  const std::shared_ptr<prior::Learnt>& learnt() const { return learnt_; }
  double samples() const { return learnt_->samples(); }
  // What whole frames are judged with, to explain the last outcome.
  const decide::Presence& presence() const { return *presence_; }

  // Scores the frame with this unit embedding, shown at `time` (seconds, none if unknown). On an error, which is this
  // frame's alone, nothing was learnt and `outcome` says nothing.
  Status tag(std::span<const float> embedding, std::optional<double> time, const TagSettings& settings,
             Outcome& outcome);

  // The picture of the last frame was still to be seen at `time`: no pause in the shot. Nothing is learnt.
  void hold(std::optional<double> time) { frame_.shot.hold(time); }

  // Scores a part of a frame with this unit embedding, corrected with what the frames have taught. It teaches nothing
  // itself: what is cut out shows one thing, and says little about what occurs together. For the same reason presence
  // uses no prior table. What was shown of a region is remembered by its id, and forgotten 5 s after it was last seen.
  // Call it before tag() of its frame, or it would be corrected with what that taught. Errors as tag()'s.
  Status tag_region(std::span<const float> embedding, int id, std::optional<double> time, const TagSettings& settings,
                    Outcome& outcome);

  // Scores a frame as tag() would at the beginning of a stream. It learns and remembers nothing: for single pictures.
  Status look(std::span<const float> embedding, const TagSettings& settings, Outcome& outcome);

  // A person says that this label is present in the frame with this embedding, or is not. `missed`: it was not shown.
  // In effect from the next frame on, for all who learn together.
  Status teach(std::span<const float> embedding, std::size_t label, bool present, bool missed);
  // All labels of a frame; none where nothing is known.
  Status teach(std::span<const float> embedding, std::span<const std::optional<bool>> present);

  // Goes on with other labels. Those that stay, by name, keep what was learnt about them. `learnt` was prepared by the
  // group for their names (PriorGroup::prepare()), so that this is quick; without it, the time grows with the square of
  // the labels.
  void relabel(Vocabulary words, prior::Successor learnt);
  void relabel(Vocabulary words);
  // The same, but false where `learnt` has to be prepared anew (PriorGroup::try_learnt()): nothing has changed then,
  // also not the words. So this never takes a time that grows with the square of the labels.
  bool try_relabel(Vocabulary& words, prior::Successor& learnt);

  // Another stream begins: nothing is shown yet, and its first frame is new. What BCP has learnt stays.
  void restart();

  // Forgets what was learnt and taught, for all who learn together. The next frame of each is learnt, however alike.
  void forget() { learnt_->forget(); }

 private:
  // What goes on from frame to frame, of the whole picture or of one region.
  struct Track {
    decide::ShotMean shot;
    decide::Decision decision, zero_shot;
    double seen = 0;          // seconds
    bool relabelled = false;  // and no frame since: the shot mean begins anew, but this is no cut
  };
  void set_words(Vocabulary words);
  void set_learnt(std::shared_ptr<prior::Learnt> learnt);
  void relabel(Vocabulary words, std::shared_ptr<prior::Learnt> learnt);
  void make_presence(double strength);
  void notice_changes(const TagSettings& settings);
  // All scores of an embedding: the labels', then the context words'.
  std::span<const double> score(std::span<const float> embedding);
  // The presence probabilities of a whole frame with these scores, where presence decides.
  Status judge(std::span<const double> scores, const TagSettings& settings, Outcome& outcome);
  void decide(decide::Presence& presence, Track& track, std::optional<double> time, const TagSettings& settings,
              Outcome& outcome);
  void explain(const decide::Presence& presence, Outcome& outcome) const;
  Track& region_track(int id, std::optional<double> time);

  Vocabulary words_;
  clip::TextMatrix text_;                          // of labels, then context words
  std::vector<std::optional<double>> thresholds_;  // empty when no label has its own
  Encoder encoder_;
  std::shared_ptr<prior::PriorGroup> group_;
  std::shared_ptr<prior::Learnt> learnt_;  // the group's, for these labels
  unsigned forgotten_ = 0;                 // learnt_->forgotten() as the gate knows it
  std::optional<decide::Presence> presence_, region_presence_;
  double strength_ = 1;             // of presence_
  std::optional<unsigned> taught_;  // the version of what was taught that presence_ has
  adapt::NoveltyGate gate_;
  Track frame_;
  Track still_;  // of look()
  std::map<int, Track> regions_;
  std::vector<double> scores_;  // scratch, so below
  decide::PresenceFrame taught_frame_;
  std::vector<double> shift_;
  std::vector<std::uint8_t> nothing_;  // shown
};

}  // namespace bcp::tag
