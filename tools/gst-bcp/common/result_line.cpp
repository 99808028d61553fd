// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/result_line.hpp"

#include <limits>
#include <string>

#include "base/json.hpp"

namespace bcp::cli {
namespace {

using nlohmann::json;

constexpr int kNewest = 2;

Error fault(std::string reason) {
  return Error{ErrorCode::kInvalid, std::move(reason)};
}

}  // namespace

double number_of(const json& object, const char* key) {
  const json& value = value_of(object, key);
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

bool is_event(const json& line) {
  return line.is_object() && line.contains("event");
}

Status check_result(const json& line) {
  if (!line.is_object()) return fault("not a JSON object");
  if (const json& version = value_of(line, "version"); version.is_number() && version > kNewest)
    return fault("version " + shown(version) + " of the format, newer than this gst-bcp");
  if (!value_of(line, "labels").is_array()) return fault("not a result: it has no list \"labels\"");
  return ok();
}

LineDecision read_decision(const json& line) {
  LineDecision decision;
  decision.presence = text_of(line, "decision") == "presence";
  const json& calibrated = value_of(line, "calibrated");
  decision.calibrated = calibrated.is_boolean() && calibrated.get<bool>();
  decision.threshold = number_of(line, "threshold");
  if (const json& context = value_of(line, "context"); context.is_object()) {
    decision.context = text_of(context, "word");
    decision.context_weight = number_of(context, "weight");
  }
  return decision;
}

Result<LineLabel> read_label(const json& entry) {
  const json& name = value_of(entry, "label");
  const json& is_shown = value_of(entry, "shown");
  if (!name.is_string() || !is_shown.is_boolean()) return fault("a label in it has no name or no \"shown\"");
  LineLabel label;
  label.name = name.get_ref<const std::string&>();
  label.shown = is_shown.get<bool>();
  if (const json& plain = value_of(entry, "zero_shot_shown"); plain.is_boolean()) label.plain_shown = plain.get<bool>();
  label.probability = number_of(entry, "probability");
  // Version 1 has only softmax values, under other names.
  const bool has_softmax = entry.contains("softmax");
  label.softmax = has_softmax ? number_of(entry, "softmax") : label.probability;
  label.plain_softmax = number_of(entry, has_softmax ? "zero_shot_softmax" : "zero_shot_probability");
  label.prior = number_of(entry, "prior");
  label.evidence = number_of(entry, "evidence");
  label.zero_shot = number_of(entry, "zero_shot");
  label.correction = number_of(entry, "correction");
  return label;
}

}  // namespace bcp::cli
