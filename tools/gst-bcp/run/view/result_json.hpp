// SPDX-License-Identifier: LGPL-2.1-or-later
// What the page gets of a result and of what was learnt. Any thread.

#pragma once

#include <gst/bcp/gstbcpresult.h>
#include <gst/gst.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace bcp::cli::view {

inline constexpr std::size_t kMostLabelsShown = 24;  // of one result

// The labels that are shown, those that plain CLIP would show, and the likeliest of the others, likeliest first: name,
// probability, whether it is shown, and the same by plain CLIP. `pts` names the frame, for feedback.
nlohmann::json result_json(const GstBcpResult* result);

struct LabelScore {
  double probability = 0;
  bool shown = false;
};
// Unset: the result has no such label.
std::optional<LabelScore> score_of(const GstBcpResult* result, const std::string& label);

// Of bcptagger's signal `learnt`.
nlohmann::json learnt_json(const GstStructure* learnt);

}  // namespace bcp::cli::view
