// SPDX-License-Identifier: LGPL-2.1-or-later

#include "support/labels_shown.hpp"

#include <gst/bcp/gstbcpmeta.h>

#include <algorithm>
#include <cmath>

namespace bcp::gst {
namespace {

void add(std::vector<LabelShown>& labels, const char* name, double probability) {
  const auto known = std::find_if(labels.begin(), labels.end(), [name](const auto& l) { return l.name == name; });
  if (known == labels.end()) {
    labels.push_back({name, probability});
  } else {
    known->probability = std::max(known->probability, probability);
  }
}

}  // namespace

std::vector<LabelShown> labels_shown(GstBuffer* buffer) {
  std::vector<LabelShown> shown;
  gpointer state = nullptr;
  while (const GstBcpMeta* meta = gst_buffer_iterate_bcp_meta(buffer, &state)) {
    const GstBcpLabels* labels = gst_bcp_result_get_labels(meta->result);
    for (guint i = 0; i < gst_bcp_labels_get_size(labels); ++i) {
      const GstBcpScore* score = gst_bcp_result_get_score(meta->result, i);
      if (score->flags & GST_BCP_SCORE_SHOWN) add(shown, gst_bcp_labels_get_name(labels, i), score->probability);
    }
  }
  std::stable_sort(shown.begin(), shown.end(), [](const auto& a, const auto& b) {
    return !std::isnan(a.probability) && (std::isnan(b.probability) || a.probability > b.probability);
  });
  return shown;
}

}  // namespace bcp::gst
