// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The labels as standard elements see them. Built if GStreamer has GstAnalytics (1.24 or newer).

#include <gst/analytics/analytics.h>

#include "tagger_support.hpp"

namespace bcp::test {
namespace {

TEST(Analytics, ShowsTheLabelsToStandardElements) {
  Tagger tagger("labels=yellow,red threshold=0.000001 inference-interval=2");
  tagger.caps(rgb_caps());
  for (const GstClockTime pts : {GstClockTime{0}, GstClockTime{40 * GST_MSECOND}}) {  // a new result, and a held one
    const auto out = tagger.push(frame(kRed, pts));
    GstAnalyticsRelationMeta* meta = gst_buffer_get_analytics_relation_meta(out.get());
    ASSERT_TRUE(meta);
    gpointer state = nullptr;
    GstAnalyticsMtd found;
    ASSERT_TRUE(gst_analytics_relation_meta_iterate(meta, &state, gst_analytics_cls_mtd_get_mtd_type(), &found));
    ASSERT_EQ(gst_analytics_cls_mtd_get_length(&found), 2u);
    EXPECT_EQ(gst_analytics_cls_mtd_get_quark(&found, 0), g_quark_from_string("red"));  // the likeliest first
    EXPECT_NEAR(gst_analytics_cls_mtd_get_level(&found, 0), shown(out.get())["red"], 1e-6);
    EXPECT_EQ(gst_analytics_cls_mtd_get_quark(&found, 1), g_quark_from_string("yellow"));
    EXPECT_FALSE(gst_analytics_relation_meta_iterate(meta, &state, gst_analytics_cls_mtd_get_mtd_type(), &found));
  }
}

GstAnalyticsODMtd detect(GstBuffer* buffer, int x, int y, int width, int height) {
  GstAnalyticsRelationMeta* meta = gst_buffer_get_analytics_relation_meta(buffer);
  if (!meta) meta = gst_buffer_add_analytics_relation_meta(buffer);
  GstAnalyticsODMtd object;
  gst_analytics_relation_meta_add_od_mtd(meta, g_quark_from_string("thing"), x, y, width, height, 0.9F, &object);
  return object;
}

std::vector<int> region_ids(GstBuffer* buffer) {
  std::vector<int> ids;
  gpointer state = nullptr;
  while (const GstBcpMeta* meta = gst_buffer_iterate_bcp_meta(buffer, &state)) {
    ids.push_back(gst_bcp_result_get_region_id(meta->result));
  }
  return ids;
}

TEST(Analytics, ScoresDetectedObjectsAndRelatesTheirLabelsToThem) {
  Tagger tagger("inference-region=full-frame+roi");
  tagger.caps(rgb_caps());
  auto buffer = frame(kRed);
  GstAnalyticsRelationMeta* meta = gst_buffer_add_analytics_relation_meta(buffer.get());
  GstAnalyticsClsMtd other;  // ids are counted over all kinds
  gst_analytics_relation_meta_add_one_cls_mtd(meta, 0.5F, g_quark_from_string("other"), &other);
  const guint first = detect(buffer.get(), 4, 4, 20, 20).id, second = detect(buffer.get(), -10, 8, 40, 30).id;
  const auto out = tagger.push(std::move(buffer));
  EXPECT_EQ(region_ids(out.get()), (std::vector<int>{-1, static_cast<int>(first), static_cast<int>(second)}));

  meta = gst_buffer_get_analytics_relation_meta(out.get());
  for (const guint object : {first, second}) {
    int tied = 0;
    gpointer state = nullptr;
    GstAnalyticsMtd found;
    while (gst_analytics_relation_meta_iterate(meta, &state, gst_analytics_cls_mtd_get_mtd_type(), &found)) {
      const auto relation = gst_analytics_relation_meta_get_relation(meta, object, found.id);
      if (relation == GST_ANALYTICS_REL_TYPE_NONE) continue;
      ++tied;
      EXPECT_EQ(static_cast<int>(relation), GST_ANALYTICS_REL_TYPE_CONTAIN | GST_ANALYTICS_REL_TYPE_RELATE_TO);
      EXPECT_EQ(gst_analytics_cls_mtd_get_quark(&found, 0), g_quark_from_string("red"));
    }
    EXPECT_EQ(tied, 1) << object;
  }
}

TEST(Analytics, ScoresAnObjectThatIsAlsoARegionOfInterestOnce) {
  Tagger tagger("inference-region=roi-list");
  tagger.caps(rgb_caps());
  auto buffer = frame(kRed);
  detect(buffer.get(), 4, 4, 20, 20);
  detect(buffer.get(), 30, 4, 20, 20);
  const auto mark = [&](int id, guint x) {
    gst_buffer_add_video_region_of_interest_meta(buffer.get(), "thing", x, 4, 20, 20)->id = id;
  };
  mark(1, 30);  // the second object
  mark(0, 12);  // has the id of the first one, but is elsewhere
  EXPECT_EQ(region_ids(tagger.push(std::move(buffer)).get()), (std::vector<int>{1, 2, 0}));
}

TEST(Analytics, AddsNoClassificationForARegionWithoutAnObject) {
  Tagger tagger("inference-region=roi-list");
  tagger.caps(rgb_caps());
  auto buffer = frame(kRed);
  gst_buffer_add_video_region_of_interest_meta(buffer.get(), "thing", 4, 4, 20, 20);
  const auto out = tagger.push(std::move(buffer));
  EXPECT_EQ(region_ids(out.get()), (std::vector<int>{0}));
  EXPECT_FALSE(gst_buffer_get_analytics_relation_meta(out.get()));
}

TEST(Analytics, AddsNothingWhenNoLabelIsShown) {
  Tagger tagger("threshold=1");
  tagger.caps(rgb_caps());
  const auto out = tagger.push(frame(Colour{90, 90, 90}));
  EXPECT_TRUE(gst_buffer_get_bcp_meta(out.get()));
  EXPECT_FALSE(gst_buffer_get_analytics_relation_meta(out.get()));
}

}  // namespace
}  // namespace bcp::test
