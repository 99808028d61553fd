// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Presence probabilities (decide/presence.hpp) of a stream's samples.
//
// Thread safety: none.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "clip/text_bank.hpp"
#include "decide/presence.hpp"
#include "eval/stream.hpp"

namespace bcp::eval {

struct PresenceSettings {
  std::vector<std::string> context = {};  // words that compete with the labels and are never shown
  clip::TextMatrix context_text = {};     // row i: the embedding of context[i]
  std::vector<std::string> aliases = {};  // per label: its word in the table, empty if equal; may be empty
  std::shared_ptr<const decide::PriorTable> table = decide::PriorTable::everyday();
  decide::Presence::Encoder encoder = {};
};

// The files of PresenceSettings. Empty: no context words; the everyday table.
struct PresenceFiles {
  std::string context_text = {};   // [words, numbers]
  std::string context_names = {};  // one word per line, or a JSON list of labels
  std::string table = {};
};
Result<PresenceSettings> load_presence(const PresenceFiles& files, decide::Presence::Encoder encoder);

// Checks that context words have embeddings of pictures with the same width.
Status check(const PresenceSettings& settings, const Stream& stream);

// Zero-shot scores of a sample: of the labels, then of every context word.
class AnchorScores {
 public:
  // REQUIRES: check(settings, stream). `settings` must outlive this object.
  AnchorScores(const PresenceSettings& settings, const Stream& stream);

  // Valid until the next call.
  std::span<const double> of(const Sample& sample);

 private:
  const clip::TextMatrix& context_text_;
  const double scale_;
  std::vector<double> scores_;
};

// Presence for some of the labels, as if only these were set.
class PresenceRule {
 public:
  // REQUIRES: `asked` are indices of `names`.
  PresenceRule(std::span<const std::string> names, std::span<const std::size_t> asked,
               const PresenceSettings& settings);
  // For all labels.
  PresenceRule(std::span<const std::string> names, const PresenceSettings& settings);

  std::size_t anchors() const { return columns_.size(); }
  // Whether there are enough anchors to show anything.
  bool can_decide() const { return presence_.can_decide(); }

  // `scores` is AnchorScores::of() a sample.
  Status score(std::span<const double> scores, decide::PresenceFrame& frame);
  decide::Presence& presence() { return presence_; }

 private:
  std::vector<std::size_t> columns_;  // of AnchorScores, per anchor
  decide::Presence presence_;
  std::vector<double> scores_;
};

// A sentence if there are too few words for presence to decide or to be calibrated; else empty.
std::string anchors_note(std::size_t anchors);

}  // namespace bcp::eval
