// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One stream's labels: scores an embedding against the labels, corrects, learns, decides.
//
// It holds everything that is a stream's own (what was learnt, what is shown); the model is not: any number of streams
// may get their embeddings from one.
//
// Thread safety: none. One instance belongs to one thread at a time.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adapt/bcp.hpp"
#include "adapt/novelty.hpp"
#include "adapt/snapshot.hpp"
#include "base/result.hpp"
#include "clip/text_bank.hpp"
#include "decide/decision.hpp"

namespace bcp::tag {

enum class Correction {
  kNone,  // plain CLIP; learning goes on, so that correction can be switched on at any time
  kBcp,
};

struct TagSettings {
  Correction correction = Correction::kBcp;
  adapt::AdapterSettings adapter = adapt::preset_settings(adapt::Preset::kVideo);
  decide::DecisionSettings decision;

  bool operator==(const TagSettings&) const = default;
};

// What one frame came to. Reused from frame to frame.
struct Outcome {
  adapt::Scores scores;
  std::span<const std::uint8_t> shown;            // by the corrected probability; valid until the next frame
  std::span<const std::uint8_t> shown_zero_shot;  // by plain CLIP's
  bool learnt = false;
};

class StreamTagger {
 public:
  StreamTagger(clip::LabelSet labels, double logit_scale);

  const std::vector<clip::Label>& labels() const { return labels_.labels; }
  double samples() const { return bcp_.seen().samples(); }

  // Scores the frame with this unit embedding, shown at `time` (seconds, none if unknown). On an error, which is this
  // frame's alone, nothing was learnt and `outcome` says nothing.
  Status tag(std::span<const float> embedding, std::optional<double> time, const TagSettings& settings,
             Outcome& outcome);

  // Goes on with other labels. Those that stay, by name, keep what was learnt about them.
  void relabel(clip::LabelSet labels);

  // Another stream begins: nothing is shown yet, and its first frame is new. What was learnt stays.
  void restart();

  // Forgets what was learnt. The next frame is learnt, however alike.
  void forget();

  // What was learnt, to be kept. The model is for the caller to name.
  adapt::SnapshotParts snapshot() const;

  // Goes on from what was kept in place of what was learnt. Tells how many of the labels it knows.
  std::size_t restore(const adapt::Snapshot& snapshot);

 private:
  void set_labels(clip::LabelSet labels);
  std::vector<std::string> names() const;

  clip::LabelSet labels_;
  std::vector<std::optional<double>> thresholds_;  // empty when no label has its own
  double logit_scale_;
  adapt::Bcp bcp_;
  adapt::NoveltyGate gate_;
  decide::Decision decision_, zero_shot_decision_;
  std::vector<double> logits_;  // scratch
};

}  // namespace bcp::tag
