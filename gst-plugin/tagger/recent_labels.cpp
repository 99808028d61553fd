// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/recent_labels.hpp"

#include <algorithm>

namespace bcp::tagger {

void RecentLabels::update(const GstBcpResult* result, std::span<const std::uint32_t> shown, Clock::time_point now) {
  const auto probability = [&](std::uint32_t label) { return gst_bcp_result_get_probability(result, label); };
  if (GstBcpLabels* names = gst_bcp_result_get_labels(result); names_.get() != names) {
    names_.reset(gst_bcp_labels_ref(names), gst::Unref());
    entries_.clear();
  }
  ++result_;
  std::vector<std::uint32_t> likeliest;  // not a member: readers copy the whole
  if (shown.size() > kMost) {
    likeliest.assign(shown.begin(), shown.end());
    std::nth_element(likeliest.begin(), likeliest.begin() + kMost, likeliest.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return probability(a) > probability(b); });
    shown = std::span<const std::uint32_t>(likeliest).first(kMost);
  }
  for (const std::uint32_t label : shown) show(label, now);
  for (Entry& entry : entries_) entry.probability = probability(entry.label);
}

void RecentLabels::show(std::uint32_t label, Clock::time_point now) {
  const auto find = [&] {
    return std::lower_bound(entries_.begin(), entries_.end(), label,
                            [](const Entry& entry, std::uint32_t wanted) { return entry.label < wanted; });
  };
  auto at = find();
  if (at == entries_.end() || at->label != label) {
    if (entries_.size() == kMost) {
      entries_.erase(std::min_element(entries_.begin(), entries_.end(),
                                      [](const Entry& a, const Entry& b) { return a.result < b.result; }));
      at = find();
    }
    at = entries_.insert(at, Entry{label, 0, result_, now});
  }
  at->result = result_;
  at->last = now;
}

void RecentLabels::to_array(GValue& value, Clock::time_point now) const {
  g_value_init(&value, GST_TYPE_ARRAY);
  for (const Entry& entry : entries_) {
    const bool is_shown = entry.result == result_;
    if (!is_shown && now - entry.last > kAge) continue;
    GValue label = G_VALUE_INIT;
    g_value_init(&label, GST_TYPE_STRUCTURE);
    g_value_take_boxed(
        &label, gst_structure_new("label", "name", G_TYPE_STRING, gst_bcp_labels_get_name(names_.get(), entry.label),
                                  "shown", G_TYPE_BOOLEAN, static_cast<gboolean>(is_shown), "probability",
                                  G_TYPE_DOUBLE, entry.probability, nullptr));
    gst_value_array_append_and_take_value(&value, &label);
  }
}

}  // namespace bcp::tagger
