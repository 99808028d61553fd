// SPDX-License-Identifier: LGPL-2.1-or-later

#include "support/labels_shown.hpp"

#include <gst/bcp/gstbcpmeta.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace bcp::gst {

std::vector<LabelShown> labels_shown(GstBuffer* buffer) {
  std::vector<LabelShown> shown;
  std::unordered_map<std::string_view, std::size_t> place;  // index in `shown`, which may be long with threshold=0
  const auto add = [&](const char* name, double probability) {
    const auto [known, is_new] = place.emplace(name, shown.size());
    if (is_new) {
      shown.push_back({name, probability});
    } else {
      double& likeliest = shown[known->second].probability;
      likeliest = std::max(likeliest, probability);
    }
  };
  gpointer state = nullptr;
  while (const GstBcpMeta* meta = gst_buffer_iterate_bcp_meta(buffer, &state)) {
    if (gst_bcp_result_get_region_id(meta->result) >= 0) continue;
    const GstBcpLabels* labels = gst_bcp_result_get_labels(meta->result);
    for (guint i = 0; i < gst_bcp_labels_get_size(labels); ++i) {
      if (!gst_bcp_result_is_shown(meta->result, i)) continue;
      add(gst_bcp_labels_get_name(labels, i), gst_bcp_result_get_probability(meta->result, i));
    }
  }
  std::stable_sort(shown.begin(), shown.end(), [](const auto& a, const auto& b) {
    return !std::isnan(a.probability) && (std::isnan(b.probability) || a.probability > b.probability);
  });
  return shown;
}

}  // namespace bcp::gst
