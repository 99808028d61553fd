// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/analytics.hpp"

#ifdef BCP_HAVE_ANALYTICS

#include <gst/analytics/analytics.h>

#include <algorithm>
#include <vector>

namespace bcp::gst {

void add_classification(GstBuffer* buffer, const GstBcpResult* result) {
  const GstBcpLabels* labels = gst_bcp_result_get_labels(result);
  std::vector<std::pair<gfloat, GQuark>> shown;
  for (guint k = 0; k < gst_bcp_labels_get_size(labels); ++k) {
    const GstBcpScore* score = gst_bcp_result_get_score(result, k);
    if (score->flags & GST_BCP_SCORE_SHOWN) {
      shown.emplace_back(static_cast<gfloat>(score->probability),
                         g_quark_from_string(gst_bcp_labels_get_name(labels, k)));
    }
  }
  if (shown.empty()) return;
  std::stable_sort(shown.begin(), shown.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
  std::vector<gfloat> confidence;
  std::vector<GQuark> name;
  for (const auto& [level, quark] : shown) {
    confidence.push_back(level);
    name.push_back(quark);
  }
  GstAnalyticsRelationMeta* meta = gst_buffer_get_analytics_relation_meta(buffer);
  if (!meta) meta = gst_buffer_add_analytics_relation_meta(buffer);
  GstAnalyticsClsMtd classification;
  gst_analytics_relation_meta_add_cls_mtd(meta, shown.size(), confidence.data(), name.data(), &classification);
}

}  // namespace bcp::gst

#else

namespace bcp::gst {
void add_classification(GstBuffer*, const GstBcpResult*) {}
}  // namespace bcp::gst

#endif
