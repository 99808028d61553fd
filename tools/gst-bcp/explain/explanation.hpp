// SPDX-License-Identifier: LGPL-2.1-or-later
// Why labels are shown in one result, or are not: pure data, and the text made of it. Where the result comes from is
// somebody else's: a line that was stored (stored_results.hpp).

#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace bcp::cli::explain {

// NaN: not known.
struct Label {
  std::string name;
  bool shown = false;
  std::optional<bool> plain_shown;  // by plain CLIP; nullopt: not known
  double probability = 0;           // presence, or the softmax where that decides
  double plain_softmax = 0;         // plain CLIP's share of the labels asked for
  double prior = 0, evidence = 0;   // of presence
  double correction = 0;            // of the softmax: added to the logit
};

struct Explanation {
  std::string title;        // "results.jsonl at 12.4 s, source cam"
  bool presence = false;    // else softmax
  bool calibrated = false;  // of presence
  double threshold = 0;     // of labels without one of their own
  std::string context;      // empty: a label explains the frame best
  double context_weight = 0;
  std::string anchor;  // empty: none
  double anchor_probability = 0;
  double samples = 0;         // learnt by then
  std::vector<Label> labels;  // those that are known
  std::string remark;         // what cannot be explained, and why
};

// Whether a label is worth a row: shown by either, or at least half as likely as the threshold asks.
bool is_near(const Label& label, const Explanation& explanation);

// In a few words, why the label is shown or not.
std::string reason(const Label& label, const Explanation& explanation);

// Likeliest label first; those that are not near only when `all`.
void print(std::ostream& out, const Explanation& explanation, bool all);

}  // namespace bcp::cli::explain
