// SPDX-License-Identifier: LGPL-2.1-or-later
// A line of results as bcppublish writes it (gst-plugin/publish/result_json.hpp), versions 1 and 2, read the same way.
//
// Fields that a line lacks are NaN, empty or nullopt. Views point into the JSON.

#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/result.hpp"

namespace bcp::cli {

// One label of a result.
struct LineLabel {
  std::string_view name;
  bool shown = false;
  std::optional<bool> plain_shown;  // by plain CLIP
  double probability = 0;           // presence, or softmax with decision=softmax
  double softmax = 0, plain_softmax = 0;
  double prior = 0, evidence = 0;  // NaN unless decision=presence
  double zero_shot = 0, correction = 0;
};

// How a result was decided.
struct LineDecision {
  bool presence = false;  // else softmax, as in all lines of version 1
  bool calibrated = false;
  double threshold = 0;      // of labels without their own
  std::string_view context;  // the word that matches the frame better than any label
  double context_weight = 0;
};

// An error, which completes the sentence "LINE is ...", unless the line is a result of a known version.
Status check_result(const nlohmann::json& line);
// Whether the line is an event: a label came or went.
bool is_event(const nlohmann::json& line);

// REQUIRES: check_result() of the line was ok.
LineDecision read_decision(const nlohmann::json& line);
Result<LineLabel> read_label(const nlohmann::json& entry);

// A number of an object, or NaN.
double number_of(const nlohmann::json& object, const char* key);

}  // namespace bcp::cli
