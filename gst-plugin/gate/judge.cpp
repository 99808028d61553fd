// SPDX-License-Identifier: LGPL-2.1-or-later

#include "gate/judge.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "condition/known_labels.hpp"
#include "support/bus.hpp"

namespace bcp::gate {
namespace {

std::vector<gst::BcpResultPtr> frame_results(GstBuffer* buffer) {
  std::vector<gst::BcpResultPtr> results;
  gpointer state = nullptr;
  while (const GstBcpMeta* meta = gst_buffer_iterate_bcp_meta(buffer, &state)) {
    if (gst_bcp_result_get_region_id(meta->result) < 0) results.emplace_back(gst_bcp_result_ref(meta->result));
  }
  return results;
}

}  // namespace

void merge(std::vector<gst::LabelShown>& labels, const gst::LabelShown& label) {
  for (gst::LabelShown& known : labels) {
    if (known.name != label.name) continue;
    known.probability = std::fmax(known.probability, label.probability);
    return;
  }
  labels.push_back(label);
}

void Judge::set(condition::Condition condition) {
  condition_ = std::move(condition);
  results_.clear();
  bound_.reset();
  warned_.clear();
}

std::optional<bool> Judge::judge(GstBuffer* buffer) {
  Results results = frame_results(buffer);
  if (results.empty()) return std::nullopt;
  // Most frames carry the result of the frame before. Results are kept, so no new one has the address of an old one.
  const bool same = std::equal(results.begin(), results.end(), results_.begin(), results_.end(),
                               [](const auto& a, const auto& b) { return a.get() == b.get(); });
  if (same) return holds_;

  results_ = std::move(results);
  seen_.assign(condition_.labels().size(), {});
  any_shown_ = false;
  bool rebound = false;
  for (const auto& result : results_) {
    rebound |= gst_bcp_result_get_labels(result.get()) != bound_.get();
    look_at(result.get());
  }
  if (rebound) check_labels(results_);
  const gchar* source = gst_bcp_result_get_source_id(results_.front().get());
  source_ = source ? source : "";
  holds_ = condition_.holds(seen_, any_shown_);
  return holds_;
}

void Judge::look_at(GstBcpResult* result) {
  GstBcpLabels* labels = gst_bcp_result_get_labels(result);
  if (labels != bound_.get()) {
    bound_.reset(gst_bcp_labels_ref(labels));
    index_.clear();
    for (const std::string& name : condition_.labels()) index_.push_back(gst_bcp_labels_find(labels, name.c_str()));
  }
  for (std::size_t i = 0; i < index_.size(); ++i) {
    if (index_[i] < 0) continue;
    const auto k = static_cast<guint>(index_[i]);
    seen_[i].shown |= static_cast<bool>(gst_bcp_result_is_shown(result, k));
    seen_[i].probability = std::fmax(seen_[i].probability, gst_bcp_result_get_probability(result, k));
  }
  const guint size = gst_bcp_labels_get_size(labels);
  for (guint k = 0; k < size && !any_shown_; ++k) any_shown_ = gst_bcp_result_is_shown(result, k);
}

void Judge::check_labels(const Results& results) {
  std::vector<std::string> known;
  for (const auto& result : results) {
    const GstBcpLabels* labels = gst_bcp_result_get_labels(result.get());
    for (guint k = 0; k < gst_bcp_labels_get_size(labels); ++k) known.emplace_back(gst_bcp_labels_get_name(labels, k));
  }
  const Status status = condition::check_labels(condition_, known);
  if (status || !warned_.insert(status.error().message).second) return;
  gst::post_warning(element_, {status.error().code, "condition: " + status.error().message});
}

std::vector<gst::LabelShown> Judge::reasons() const {
  std::vector<gst::LabelShown> all;
  const condition::Reasons reasons = condition_.reasons(seen_, any_shown_);
  for (const std::size_t i : reasons.labels) all.push_back({condition_.labels()[i], seen_[i].probability});
  for (const auto& result : results_) {
    const GstBcpLabels* labels = gst_bcp_result_get_labels(result.get());
    for (guint k = 0; reasons.any && k < gst_bcp_labels_get_size(labels); ++k) {
      if (!gst_bcp_result_is_shown(result.get(), k)) continue;
      merge(all, {gst_bcp_labels_get_name(labels, k), gst_bcp_result_get_probability(result.get(), k)});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.probability > b.probability; });
  return all;
}

}  // namespace bcp::gate
