// SPDX-License-Identifier: LGPL-2.1-or-later
// Why labels are shown or not shown in one result: the data, and its text. The result comes from a stored line
// (stored_results.hpp) or a picture (picture.hpp).

#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace bcp::cli::explain {

// NaN: not known.
struct Label {
  std::string name;
  bool shown = false;
  std::optional<bool> plain_shown;                              // by plain CLIP; nullopt: not known
  double threshold = std::numeric_limits<double>::quiet_NaN();  // in force
  double probability = 0;                                       // presence, or softmax with decision=softmax
  double plain_softmax = 0;                                     // plain CLIP's softmax over the stream's labels
  double prior = 0, evidence = 0;                               // of presence
  double correction = 0;                                        // of the softmax: added to the logit
};

// A context word.
struct Word {
  std::string name;
  double share;  // of the match with the frame
};

// What one word adds to the prior of a label.
struct Source {
  std::string word;
  double share;  // of the match with the frame
  double given;  // P(label | word)
  double adds;   // their product
};

// Where the prior of one label comes from.
struct Origin {
  std::string label;
  bool is_known = false;        // to the prior table
  double prior = 0;             // the sum of all words
  std::vector<Source> sources;  // the largest first
  std::size_t others = 0;       // further words,
  double rest = 0;              // and what they add
  double offset = 0;            // on the log-odds, taught by people
};

struct Explanation {
  std::string title;        // "results.jsonl at 12.4 s, source cam"
  bool presence = false;    // else softmax
  bool calibrated = false;  // of presence
  bool comparable = true;   // false: there are too few words to show any label
  double threshold = 0;     // of labels without their own
  std::string context;      // empty: a label matches the frame best
  double context_weight = 0;
  std::vector<Word> words = {};  // the context words that match best, if known
  std::string anchor;            // empty: none
  double anchor_probability = 0;
  double samples = 0;                        // learnt by then
  std::optional<std::uint64_t> taught = {};  // statements; unset: not known
  std::vector<Label> labels;                 // those that are known
  std::optional<Origin> origin = {};         // of one label, if requested
  std::string remark;                        // what cannot be explained, and why
};

// Whether a label gets a row: shown by either rule, or with at least half of the threshold.
bool is_near(const Label& label, const Explanation& explanation);

// In a few words, why the label is shown or not.
std::string reason(const Label& label, const Explanation& explanation);

// Most likely label first; labels far below the threshold only with `all`.
void print(std::ostream& out, const Explanation& explanation, bool all);

}  // namespace bcp::cli::explain
