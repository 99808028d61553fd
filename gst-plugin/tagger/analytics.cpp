// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/analytics.hpp"

#ifdef BCP_HAVE_ANALYTICS

#include <gst/analytics/analytics.h>

#include <algorithm>
#include <vector>

namespace bcp::tagger {
namespace {

bool is_object(GstAnalyticsRelationMeta* meta, guint id) {
  gpointer state = nullptr;
  GstAnalyticsMtd found;
  while (gst_analytics_relation_meta_iterate(meta, &state, gst_analytics_od_mtd_get_mtd_type(), &found)) {
    if (found.id == id) return true;
  }
  return false;
}

}  // namespace

void add_classification(GstBuffer* buffer, const GstBcpResult* result) {
  GstAnalyticsRelationMeta* meta = gst_buffer_get_analytics_relation_meta(buffer);
  const gint region = gst_bcp_result_get_region_id(result);
  if (region >= 0 && (!meta || !is_object(meta, static_cast<guint>(region)))) return;

  const GstBcpLabels* labels = gst_bcp_result_get_labels(result);
  std::vector<std::pair<gfloat, GQuark>> shown;
  for (guint k = 0; k < gst_bcp_labels_get_size(labels); ++k) {
    if (gst_bcp_result_is_shown(result, k)) {
      shown.emplace_back(static_cast<gfloat>(gst_bcp_result_get_probability(result, k)),
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
  if (!meta) meta = gst_buffer_add_analytics_relation_meta(buffer);
  GstAnalyticsClsMtd classification;
  gst_analytics_relation_meta_add_cls_mtd(meta, shown.size(), confidence.data(), name.data(), &classification);
  if (region < 0) return;
  // Both, because DL Streamer looks for the first, and objectdetectionoverlay for the second.
  constexpr auto kBoth =
      static_cast<GstAnalyticsRelTypes>(GST_ANALYTICS_REL_TYPE_CONTAIN | GST_ANALYTICS_REL_TYPE_RELATE_TO);
  gst_analytics_relation_meta_set_relation(meta, kBoth, static_cast<guint>(region), classification.id);
}

}  // namespace bcp::tagger

#else

namespace bcp::tagger {
void add_classification(GstBuffer*, const GstBcpResult*) {}
}  // namespace bcp::tagger

#endif
