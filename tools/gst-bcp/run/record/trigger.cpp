// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/record/trigger.hpp"

#include <algorithm>
#include <utility>

#include "condition/known_labels.hpp"

namespace bcp::cli::run {

void Trigger::bind(GstBcpLabels* labels) {
  if (labels == bound_.get()) return;
  bound_.reset(gst_bcp_labels_ref(labels));
  index_.clear();
  for (const std::string& name : condition_.labels()) index_.push_back(gst_bcp_labels_find(labels, name.c_str()));
  std::vector<std::string> known;
  for (guint i = 0; i < gst_bcp_labels_get_size(labels); ++i) known.emplace_back(gst_bcp_labels_get_name(labels, i));
  if (const Status fit = condition::check_labels(condition_, known); !fit)
    remark_ = "--record-when: " + fit.error().message;
}

std::vector<std::pair<std::string, double>> shown_in(const GstBcpResult* result) {
  const GstBcpLabels* labels = gst_bcp_result_get_labels(result);
  std::vector<std::pair<std::string, double>> shown;
  for (guint i = 0; i < gst_bcp_labels_get_size(labels); ++i)
    if (gst_bcp_result_is_shown(result, i))
      shown.emplace_back(gst_bcp_labels_get_name(labels, i), gst_bcp_result_get_probability(result, i));
  std::stable_sort(shown.begin(), shown.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return shown;
}

bool Trigger::holds(const GstBcpResult* result) {
  GstBcpLabels* labels = gst_bcp_result_get_labels(result);
  bind(labels);
  bool any = false;
  for (guint i = 0; i < gst_bcp_labels_get_size(labels) && !any; ++i) any = gst_bcp_result_is_shown(result, i);
  std::vector<condition::Seen> seen(index_.size());
  for (std::size_t i = 0; i < index_.size(); ++i) {
    if (index_[i] < 0) continue;
    const auto k = static_cast<guint>(index_[i]);
    seen[i] = {static_cast<bool>(gst_bcp_result_is_shown(result, k)), gst_bcp_result_get_probability(result, k)};
  }
  return condition_.holds(seen, any);
}

}  // namespace bcp::cli::run
