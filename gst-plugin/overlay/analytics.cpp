// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/analytics.hpp"

#ifdef BCP_HAVE_ANALYTICS

#include <gst/analytics/analytics.h>

namespace bcp::overlay {
namespace {

// Whether the classification is of the whole frame: it is not related to a detected object.
bool is_of_the_frame(GstAnalyticsRelationMeta* meta, guint id) {
  gpointer state = nullptr;
  GstAnalyticsMtd other;
  while (gst_analytics_relation_meta_iterate(meta, &state, gst_analytics_od_mtd_get_mtd_type(), &other)) {
    const guint object = other.id;
    if (gst_analytics_relation_meta_get_relation(meta, object, id) != GST_ANALYTICS_REL_TYPE_NONE ||
        gst_analytics_relation_meta_get_relation(meta, id, object) != GST_ANALYTICS_REL_TYPE_NONE) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<Classified> frame_classifications(GstBuffer* buffer) {
  std::vector<Classified> all;
  GstAnalyticsRelationMeta* meta = gst_buffer_get_analytics_relation_meta(buffer);
  if (!meta) return all;
  gpointer state = nullptr;
  GstAnalyticsMtd found;
  while (gst_analytics_relation_meta_iterate(meta, &state, gst_analytics_cls_mtd_get_mtd_type(), &found)) {
    if (!is_of_the_frame(meta, found.id)) continue;
    const gsize size = gst_analytics_cls_mtd_get_length(&found);
    for (gsize i = 0; i < size; ++i) {
      const gchar* name = g_quark_to_string(gst_analytics_cls_mtd_get_quark(&found, i));
      if (name) all.push_back({name, static_cast<double>(gst_analytics_cls_mtd_get_level(&found, i))});
    }
  }
  return all;
}

std::optional<image::Rect> object_box(GstBuffer* buffer, int id) {
  GstAnalyticsRelationMeta* meta = gst_buffer_get_analytics_relation_meta(buffer);
  if (!meta) return std::nullopt;
  gpointer state = nullptr;
  GstAnalyticsODMtd found;
  while (gst_analytics_relation_meta_iterate(meta, &state, gst_analytics_od_mtd_get_mtd_type(), &found)) {
    image::Rect box;
    if (static_cast<int>(found.id) == id &&
        gst_analytics_od_mtd_get_location(&found, &box.x, &box.y, &box.width, &box.height, nullptr)) {
      return box;
    }
  }
  return std::nullopt;
}

}  // namespace bcp::overlay

#else

namespace bcp::overlay {
std::vector<Classified> frame_classifications(GstBuffer*) {
  return {};
}
std::optional<image::Rect> object_box(GstBuffer*, int) {
  return std::nullopt;
}
}  // namespace bcp::overlay

#endif
