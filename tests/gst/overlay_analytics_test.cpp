// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws classifications of other elements. Built if GStreamer has GstAnalytics (1.24 or newer).

#include <gst/analytics/analytics.h>

#include "overlay_element_support.hpp"

namespace bcp::test {
namespace {

GstAnalyticsClsMtd classify(GstBuffer* buffer, const char* name) {
  GstAnalyticsRelationMeta* meta = gst_buffer_get_analytics_relation_meta(buffer);
  if (!meta) meta = gst_buffer_add_analytics_relation_meta(buffer);
  GstAnalyticsClsMtd result;
  gst_analytics_relation_meta_add_one_cls_mtd(meta, 0.8F, g_quark_from_string(name), &result);
  return result;
}

TEST(OverlayAnalytics, DrawsTheClassificationOfAFrame) {
  Overlay overlay;
  gst::BufferPtr buffer = overlay.frame();
  classify(buffer.get(), "dog");
  EXPECT_FALSE(changed(overlay, overlay.push(std::move(buffer))).empty());
}

TEST(OverlayAnalytics, IgnoresTheClassificationOfAnObject) {
  Overlay overlay;
  gst::BufferPtr buffer = overlay.frame();
  const GstAnalyticsClsMtd dog = classify(buffer.get(), "dog");
  GstAnalyticsODMtd object;
  gst_analytics_relation_meta_add_od_mtd(dog.meta, g_quark_from_string("object"), 10, 10, 50, 50, 0.9F, &object);
  gst_analytics_relation_meta_set_relation(dog.meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, object.id, dog.id);
  EXPECT_TRUE(changed(overlay, overlay.push(std::move(buffer))).empty());
}

TEST(OverlayAnalytics, DrawsTheResultOfAnObjectWhereItIs) {
  Overlay overlay("", raw_caps("GRAY8"));
  gst::BufferPtr buffer = overlay.frame();
  GstAnalyticsRelationMeta* meta = gst_buffer_add_analytics_relation_meta(buffer.get());
  GstAnalyticsODMtd first, second;
  gst_analytics_relation_meta_add_od_mtd(meta, g_quark_from_string("object"), 10, 10, 50, 50, 0.9F, &first);
  gst_analytics_relation_meta_add_od_mtd(meta, g_quark_from_string("object"), 100, 120, 80, 60, 0.9F, &second);
  attach(buffer.get(), scored({{"dog", 0.9, 0.9}}, 0, static_cast<gint>(second.id)));
  const Area area = changed(overlay, overlay.push(std::move(buffer)));
  EXPECT_NEAR(area.left, 100, 4);
  EXPECT_NEAR(area.right, 179, 4);
  EXPECT_NEAR(area.bottom, 179, 4);
}

TEST(OverlayAnalytics, PrefersTheResultOfTheTagger) {
  Overlay overlay;
  gst::BufferPtr buffer = overlay.frame(scored({{"car", 0.1, 0.1, 0, GST_BCP_SCORE_NONE}}, -1));
  classify(buffer.get(), "dog");
  EXPECT_TRUE(changed(overlay, overlay.push(std::move(buffer))).empty());
}

}  // namespace
}  // namespace bcp::test
