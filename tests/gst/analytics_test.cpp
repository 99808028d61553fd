// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The labels as stock elements see them. Built where GStreamer has GstAnalytics (1.24 or newer).

#include <gst/analytics/analytics.h>

#include "tagger_support.hpp"

namespace bcp::test {
namespace {

TEST(Analytics, ShowsTheLabelsToStockElements) {
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

TEST(Analytics, AddsNothingWhenNoLabelIsShown) {
  Tagger tagger("threshold=1");
  tagger.caps(rgb_caps());
  const auto out = tagger.push(frame(Colour{90, 90, 90}));
  EXPECT_TRUE(gst_buffer_get_bcp_meta(out.get()));
  EXPECT_FALSE(gst_buffer_get_analytics_relation_meta(out.get()));
}

}  // namespace
}  // namespace bcp::test
