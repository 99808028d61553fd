// SPDX-License-Identifier: LGPL-2.1-or-later
// The results of a file of JSON lines (as bcppublish writes them), by stream.
//
// Read line by line, so only the stored data needs memory: a label that neither plain CLIP nor the correction shows,
// with less than kFaint in both, is not stored. A line that is not a result is skipped, counted and listed; event lines
// are ignored. Versions 1 and 2 of the lines are read.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp::cli::report {

inline constexpr float kFaint = 0.05f;

// One label in one result. "Plain" is CLIP alone: softmax over the stream's labels.
struct Score {
  std::uint16_t label = 0;  // Results::labels
  bool shown = false;
  bool plain_shown = false;     // as `shown` if the line lacks it
  float probability = 0;        // NaN: unknown
  float plain_probability = 0;  // NaN: unknown
  float correction = 0;         // added to the logit; NaN: unknown
  float prior = 0;              // given the rest of the frame; NaN: not decided by presence
  float evidence = 0;           // of the label itself; NaN likewise
  bool added() const { return shown && !plain_shown; }
  bool removed() const { return !shown && plain_shown; }
};

// One result.
struct Moment {
  double pts = 0;    // seconds; NaN: none
  double utc = 0;    // seconds since 1970; NaN: none
  double delay = 0;  // from the frame that was scored to the one that carried the result; NaN: unknown
  int anchor = -1;   // Results::labels
  float anchor_probability = 0;
  double samples = 0;       // learnt until then
  bool has_plain = true;    // false: an older line, without plain CLIP's decisions
  bool presence = false;    // the rule that decided; else softmax
  bool calibrated = false;  // whether its probabilities are
  float threshold = 0;      // of labels without their own; NaN: unknown
  int context = -1;         // Results::contexts: the word that matches the frame better than any label
  float context_weight = 0;
  std::size_t first = 0, count = 0;  // its scores, in Stream::scores

  // Set by lay_out (time_axis.hpp).
  double time = 0, until = 0;
  bool continues = false;  // no gap between the result before and this one
};

// The results about whole frames of one source, or those about regions in its frames.
struct Stream {
  std::string source;
  bool regions = false;
  std::vector<Moment> moments;
  std::vector<Score> scores;
};

struct Results {
  std::vector<std::string> labels;    // every name that occurs
  std::vector<std::string> contexts;  // every context word that occurs
  std::vector<Stream> streams;        // in the order of their first result
  std::uintmax_t bytes = 0;
  std::size_t lines = 0, results = 0, events = 0, skipped = 0;
  std::size_t older = 0;                  // results that lack what plain CLIP shows
  std::vector<std::string> first_faults;  // "results.jsonl:17: not valid JSON (...)"
};

// An error if the file cannot be read or has no result.
Result<Results> read_results(const std::string& path);

}  // namespace bcp::cli::report
