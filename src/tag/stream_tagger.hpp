// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One stream's labels: scores an embedding against the labels, corrects, learns, decides.
//
// It holds everything that is a stream's own: what is shown, which frames are new. The model is
// not: any number of streams may get their embeddings from one. What BCP has learnt is the stream's own or its group's.
//
// Thread safety: none. One instance belongs to one thread at a time; others of its group may run meanwhile.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adapt/novelty.hpp"
#include "adapt/scores.hpp"
#include "adapt/settings.hpp"
#include "base/result.hpp"
#include "clip/text_bank.hpp"
#include "decide/decision.hpp"
#include "prior/group.hpp"

namespace bcp::tag {

struct TagSettings {
  // BCP goes on learning while it is switched off, so that it can be switched on at any time.
  adapt::Correction correction = adapt::Correction::kBcp;
  adapt::AdapterSettings adapter = adapt::preset_settings(adapt::Preset::kVideo);
  decide::DecisionSettings decision;

  bool operator==(const TagSettings&) const = default;
};

// What one frame, or a part of one, came to. Reused from frame to frame.
struct Outcome {
  adapt::Scores scores;
  std::span<const std::uint8_t> shown;            // by the corrected probability; valid until the next frame or part
  std::span<const std::uint8_t> shown_zero_shot;  // by plain CLIP's
  bool learnt = false;
};

// The names of these labels, in their order.
std::vector<std::string> names_of(const clip::LabelSet& labels);

class StreamTagger {
 public:
  // Learns for itself.
  StreamTagger(clip::LabelSet labels, double logit_scale);
  ~StreamTagger() { learnt_->leave(); }
  StreamTagger(const StreamTagger&) = delete;
  StreamTagger& operator=(const StreamTagger&) = delete;

  // Goes on with what this group has learnt, and learns with it from now on.
  void join(std::shared_ptr<prior::PriorGroup> group);
  const std::shared_ptr<prior::PriorGroup>& group() const { return group_; }
  // Whether nobody in its group has the same labels, while others have other ones.
  bool is_apart() const { return group_->is_apart(*learnt_); }

  const std::vector<clip::Label>& labels() const { return labels_.labels; }
  // What was learnt about these labels, by all who learn together.
  const std::shared_ptr<prior::Learnt>& learnt() const { return learnt_; }
  double samples() const { return learnt_->samples(); }

  // Scores the frame with this unit embedding, shown at `time` (seconds, none if unknown). On an error, which is this
  // frame's alone, nothing was learnt and `outcome` says nothing.
  Status tag(std::span<const float> embedding, std::optional<double> time, const TagSettings& settings,
             Outcome& outcome);

  // Scores a part of a frame with this unit embedding, corrected with what the frames have taught. It teaches nothing
  // itself: what is cut out shows one thing, and says little about what occurs together. Nor is anything remembered of
  // what it showed: whether the next part is the same thing is for others to know, so threshold_off does not count.
  // Call it before tag() of its frame, or it would be corrected with what that taught. Errors as tag()'s.
  Status tag_region(std::span<const float> embedding, const TagSettings& settings, Outcome& outcome);

  // Goes on with other labels. Those that stay, by name, keep what was learnt about them. `learnt` was prepared by the
  // group for their names (PriorGroup::prepare()), so that this is quick; without it, the time grows with the square of
  // the labels.
  void relabel(clip::LabelSet labels, prior::Successor learnt);
  void relabel(clip::LabelSet labels);

  // Another stream begins: nothing is shown yet, and its first frame is new. What BCP has learnt stays.
  void restart();

  // Forgets what was learnt, for all who learn together. The next frame of each is learnt, however alike.
  void forget() { learnt_->forget(); }

 private:
  void set_labels(clip::LabelSet labels);
  void set_learnt(std::shared_ptr<prior::Learnt> learnt);
  void notice_forgetting();

  clip::LabelSet labels_;
  std::vector<std::optional<double>> thresholds_;  // empty when no label has its own
  double logit_scale_;
  std::shared_ptr<prior::PriorGroup> group_;
  std::shared_ptr<prior::Learnt> learnt_;  // the group's, for these labels
  unsigned forgotten_ = 0;                 // learnt_->forgotten() as the gate knows it
  adapt::NoveltyGate gate_;
  decide::Decision decision_, zero_shot_decision_;
  decide::Decision region_decision_, zero_shot_region_decision_;  // remember nothing
  std::vector<double> logits_;                                    // scratch
};

}  // namespace bcp::tag
