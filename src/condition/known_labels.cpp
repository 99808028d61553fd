// SPDX-License-Identifier: LGPL-2.1-or-later

#include "condition/known_labels.hpp"

#include <algorithm>

#include "base/spelling.hpp"

namespace bcp::condition {
namespace {

constexpr std::size_t kNearest = 3;  // named for each label
constexpr std::size_t kListed = 5;   // of the known labels, where none is near

std::string in_quotes(std::string_view label) {
  return std::string("\"").append(label).append("\"");
}

std::string suggestion(std::string_view label, std::span<const std::string> known) {
  std::string names;
  for (const std::size_t i : similar(label, known, kNearest))
    names += (names.empty() ? "" : ", ") + in_quotes(known[i]);
  if (!names.empty()) return "did you mean " + names + "?";
  for (std::size_t i = 0; i < std::min(known.size(), kListed); ++i) names += (i ? ", " : "") + in_quotes(known[i]);
  return "the labels are " + names + (known.size() > kListed ? ", ..." : "");
}

// Whether a label looks like a condition of its own: a pipeline description keeps the ' around a whole value.
bool is_condition(const std::string& label) {
  const Result<Condition> condition = Condition::parse(label);
  return condition && condition->text() != spelled(label);
}

}  // namespace

Status check_labels(const Condition& condition, std::span<const std::string> known) {
  std::string message;
  for (const std::string& label : condition.labels()) {
    if (std::find(known.begin(), known.end(), label) != known.end()) continue;
    if (!message.empty()) message += "; ";
    message += "the condition names " + in_quotes(label) + ", which is not one of the " + std::to_string(known.size()) +
               " labels asked for";
    if (is_condition(label)) {
      message += ": its quotes make it one label, leave them out";
    } else if (!known.empty()) {
      message += ": " + suggestion(label, known);
    }
  }
  if (message.empty()) return ok();
  return Error{ErrorCode::kNotFound, message};
}

}  // namespace bcp::condition
