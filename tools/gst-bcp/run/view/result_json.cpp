// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/result_json.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

namespace bcp::cli::view {
namespace {

using Json = nlohmann::json;

// Four decimals, which is more than the page shows; null: not a number.
Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::round(value * 1e4) / 1e4;
}

Json numbers_in(const GstStructure* structure, const char* field) {
  Json made = Json::array();
  const GValue* array = gst_structure_get_value(structure, field);
  for (guint i = 0; array && i < gst_value_array_get_size(array); ++i)
    made.push_back(rounded(g_value_get_double(gst_value_array_get_value(array, i))));
  return made;
}

Json names_in(const GstStructure* structure, const char* field) {
  Json made = Json::array();
  const GValue* array = gst_structure_get_value(structure, field);
  for (guint i = 0; array && i < gst_value_array_get_size(array); ++i)
    made.push_back(g_value_get_string(gst_value_array_get_value(array, i)));
  return made;
}

}  // namespace

Json result_json(const GstBcpResult* result) {
  guint size = 0;
  const double* probability = gst_bcp_result_get_values(result, GST_BCP_SCORE_FIELD_PROBABILITY, &size);
  const double* plain = gst_bcp_result_get_values(result, GST_BCP_SCORE_FIELD_ZERO_SHOT_SOFTMAX, nullptr);
  std::vector<guint> order(size);
  std::iota(order.begin(), order.end(), 0U);
  // Shown by either first: these are never left out, unless there are too many.
  const auto rank = [&](guint i) {
    const bool either = gst_bcp_result_is_shown(result, i) || gst_bcp_result_is_shown_zero_shot(result, i);
    return std::pair(either ? 1 : 0, probability[i]);
  };
  const std::size_t count = std::min<std::size_t>(kMostLabelsShown, size);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](guint a, guint b) { return rank(a) > rank(b); });
  order.resize(count);
  std::stable_sort(order.begin(), order.end(), [&](guint a, guint b) { return probability[a] > probability[b]; });
  GstBcpLabels* names = gst_bcp_result_get_labels(result);
  Json labels = Json::array();
  for (const guint i : order)
    labels.push_back({{"name", gst_bcp_labels_get_name(names, i)},
                      {"p", rounded(probability[i])},
                      {"shown", static_cast<bool>(gst_bcp_result_is_shown(result, i))},
                      {"plain", rounded(plain[i])},
                      {"plainShown", static_cast<bool>(gst_bcp_result_is_shown_zero_shot(result, i))}});
  const char* context = gst_bcp_result_get_context(result);
  return {{"pts", std::to_string(gst_bcp_result_get_pts(result))},
          {"labels", std::move(labels)},
          {"of", size},
          {"threshold", rounded(gst_bcp_result_get_threshold(result))},
          {"calibrated", static_cast<bool>(gst_bcp_result_is_calibrated(result))},
          {"presence", gst_bcp_result_get_decision(result) == GST_BCP_DECISION_PRESENCE},
          {"samples", rounded(gst_bcp_result_get_samples(result))},
          {"context", context ? Json(context) : Json(nullptr)}};
}

std::optional<LabelScore> score_of(const GstBcpResult* result, const std::string& label) {
  GstBcpLabels* names = gst_bcp_result_get_labels(result);
  for (guint i = 0; i < gst_bcp_labels_get_size(names); ++i)
    if (std::string_view(gst_bcp_labels_get_name(names, i)) == label)
      return LabelScore{gst_bcp_result_get_probability(result, i), gst_bcp_result_is_shown(result, i) != FALSE};
  return std::nullopt;
}

Json learnt_json(const GstStructure* learnt) {
  double samples = 0;
  guint64 statements = 0;
  gst_structure_get(learnt, "samples", G_TYPE_DOUBLE, &samples, "statements", G_TYPE_UINT64, &statements, nullptr);
  return {{"samples", rounded(samples)},
          {"statements", statements},
          {"labels", names_in(learnt, "labels")},
          {"frequency", numbers_in(learnt, "frequency")},
          {"conditional", numbers_in(learnt, "conditional")},
          {"taughtLabels", names_in(learnt, "taught-labels")},
          {"taughtOffsets", numbers_in(learnt, "taught-offsets")}};
}

}  // namespace bcp::cli::view
