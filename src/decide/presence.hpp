// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Presence: from zero-shot scores of a frame to the probability that each label is in the picture. Labels are
// independent: several may be near 1, or all near 0.
//
//   p    = softmax(s)                     over labels and context words: what is this picture of?
//   pi_k = sum over a of C[k, a] p_a      how likely k is, given that (conditional_prior.hpp)
//   l_k  = log softmax(s / 2)_k + ln N    evidence for k itself; 0: no better than a random word
//   z_k  = logit(pi_k) + alpha(N) l_k + beta
//   q_k  = sigmoid(z_k + g + d_k)         g and d change only by people's corrections (taught.hpp)
//
// An encoder trained with a sigmoid (SigLIP) scores each label independently, without context words or table:
//
//   z_k  = slope * s_k + offset           s contains the encoder's bias; as trained, slope is 1 and offset 0
//   q_k  = sigmoid(z_k + g + d_k)
//
// s = 100 * cosine for CLIP; scores of other encoders are first multiplied by `scale`. The constants were fitted once,
// on CLIP ViT-B/32 and one half of COCO val2017 (docs/results.md).
//
// Thread safety: none. One instance belongs to one stream.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "decide/conditional_prior.hpp"
#include "decide/prior_table.hpp"
#include "decide/shot_mean.hpp"
#include "decide/taught.hpp"

namespace bcp::decide {

// The result of one frame. Reused for each frame.
struct PresenceFrame {
  std::vector<double> anchors;      // p of labels and context words; empty for a sigmoid
  std::vector<double> prior;        // pi, per label, in [1e-4, 0.995]; NaN for a sigmoid
  std::vector<double> evidence;     // l, per label; z for a sigmoid
  std::vector<double> score;        // z, per label
  std::vector<double> probability;  // q of this frame alone
  std::vector<double> smoothed;     // q of the shot's last `span` seconds
  bool cut = false;                 // the frame begins a new shot
};

class Presence {
 public:
  struct Words {
    std::vector<PriorLabel> labels;
    std::vector<std::string> context;  // from context_for()
  };
  // How the scores of an encoder trained with a sigmoid become probabilities.
  struct Sigmoid {
    double slope = 1, offset = 0;
    bool measured = false;  // fitted on labelled pictures; if not, q is only relative
  };
  struct Encoder {
    double strength = 1;  // of the prior: 0.5 for encoders trained on labels
    double scale = 1;     // factor on the scores
    double cut = ShotMean::kCut;
    std::optional<Sigmoid> sigmoid{};  // set: `strength`, `scale`, the table and the context words are not used
  };
  // With fewer anchors than kFewest, "none of these" cannot be decided; below kCalibrated, q is only relative.
  static constexpr std::size_t kFewest = 10, kCalibrated = 30;

  // REQUIRES: `table` is not null; encoder.scale and encoder.cut are positive, encoder.strength in [0, 1].
  Presence(const Words& words, std::shared_ptr<const PriorTable> table, Encoder encoder);

  std::size_t labels() const { return prior_.labels(); }
  std::size_t anchors() const { return prior_.anchors(); }  // only the labels for a sigmoid
  bool is_sigmoid() const { return sigmoid_.has_value(); }
  // Whether labels can be shown.
  bool can_decide() const { return sigmoid_ || anchors() >= kFewest; }
  bool is_calibrated() const { return sigmoid_ ? sigmoid_->measured : anchors() >= kCalibrated; }
  const ConditionalPrior& prior() const { return prior_; }
  const std::string& anchor(std::size_t index) const { return names_[index]; }

  // `scores` are uncorrected zero-shot scores: of the labels, then of the context words (no context words for a
  // sigmoid). Fills `frame` except `smoothed` and `cut`. A score that is not finite is an error.
  Status score(std::span<const double> scores, PresenceFrame& frame);
  // Adds log odds from the statistics of the stream (adapt/habits.hpp). REQUIRES: score() of the frame; one number per
  // label; no sigmoid.
  void shift(std::span<const double> log_odds, PresenceFrame& frame) const;
  // Adds the frame scored last to `shot`, and fills `smoothed` and `cut`. `span` is in seconds; 0 for stills.
  void smooth(ShotMean& shot, std::optional<double> time, double span, PresenceFrame& frame);

  // Replaces people's corrections, from the next frame on.
  void set_taught(const Taught& taught);
  // Adds to `taught` that this label is present in `frame` or absent. `missed`: it was not shown.
  void teach(Taught& taught, const PresenceFrame& frame, std::size_t label, bool present, bool missed) const;
  // The same for all labels of a frame; empty for unknown labels.
  void teach(Taught& taught, const PresenceFrame& frame, std::span<const std::optional<bool>> present) const;

 private:
  double probability(std::size_t label, double score) const;
  Taught::Subject subject(const PresenceFrame& frame, std::size_t label) const;

  void score_sigmoid(PresenceFrame& frame) const;

  const std::optional<Sigmoid> sigmoid_;
  const double scale_, alpha_, cut_;
  std::vector<std::string> names_;  // of all anchors
  ConditionalPrior prior_;
  double g_ = 0;
  std::vector<double> d_;
  std::vector<double> scores_;  // of the last frame, scaled
};

// The context words to use with these labels: without words that are a label or an alias of one.
std::vector<std::string> context_for(std::span<const PriorLabel> labels, std::span<const std::string> all);

}  // namespace bcp::decide
