// SPDX-License-Identifier: LGPL-2.1-or-later
// bcptagger on regions of the frame: which are scored, from which pixels, and which buffers get their results.

#include <gst/video/gstvideometa.h>

#include "tagger/regions.hpp"
#include "tagger_support.hpp"

namespace bcp::test {
namespace {

using gst::BufferPtr;
using image::Rect;

constexpr int kWidth = 96, kHeight = 64;
constexpr Rect kLeft{0, 0, 48, 64}, kRight{48, 0, 48, 64};

// Red on the left, blue on the right.
BufferPtr halves(GstClockTime pts = 0) {
  BufferPtr buffer = frame(kRed, pts, kWidth, kHeight);
  GstMapInfo map;
  gst_buffer_map(buffer.get(), &map, GST_MAP_WRITE);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = kWidth / 2; x < kWidth; ++x) std::memcpy(map.data + y * 3 * kWidth + 3 * x, &kBlue, 3);
  }
  gst_buffer_unmap(buffer.get(), &map);
  return buffer;
}

GstVideoRegionOfInterestMeta* mark(GstBuffer* buffer, int id, const Rect& box) {
  auto* roi = gst_buffer_add_video_region_of_interest_meta(buffer, "thing", static_cast<guint>(box.x),
                                                           static_cast<guint>(box.y), static_cast<guint>(box.width),
                                                           static_cast<guint>(box.height));
  roi->id = id;
  return roi;
}

BufferPtr marked(BufferPtr buffer, const std::vector<std::pair<int, Rect>>& regions) {
  for (const auto& [id, box] : regions) mark(buffer.get(), id, box);
  return buffer;
}

std::vector<GstBcpMeta*> metas(GstBuffer* buffer) {
  std::vector<GstBcpMeta*> all;
  gpointer state = nullptr;
  while (GstBcpMeta* meta = gst_buffer_iterate_bcp_meta(buffer, &state)) all.push_back(meta);
  return all;
}

std::vector<int> ids(GstBuffer* buffer) {
  std::vector<int> all;
  for (const GstBcpMeta* meta : metas(buffer)) all.push_back(gst_bcp_result_get_region_id(meta->result));
  return all;
}

const GstBcpResult* result_of(GstBuffer* buffer, int region) {
  for (const GstBcpMeta* meta : metas(buffer)) {
    if (gst_bcp_result_get_region_id(meta->result) == region) return meta->result;
  }
  return nullptr;
}

std::vector<double> logits(const GstBcpResult* result) {
  std::vector<double> all;
  if (!result) return all;
  for (guint k = 0; k < gst_bcp_labels_get_size(gst_bcp_result_get_labels(result)); ++k) {
    all.push_back(gst_bcp_result_get_zero_shot(result, k));
  }
  return all;
}

std::string best_of(GstBuffer* buffer, int region) {
  const std::vector<double> all = logits(result_of(buffer, region));
  if (all.empty()) return "";
  const auto best = std::max_element(all.begin(), all.end()) - all.begin();
  return gst_bcp_labels_get_name(gst_bcp_result_get_labels(result_of(buffer, region)), static_cast<guint>(best));
}

std::vector<std::pair<int, Rect>> many(int count) {
  std::vector<std::pair<int, Rect>> regions;
  for (int i = 0; i < count; ++i) regions.emplace_back(i, Rect{i, i, 20, 20});
  return regions;
}

// ---- reading them

TEST(Regions, KeepTheirOrderTheirPlacesAndTheIdsTheyHave) {
  const BufferPtr buffer = marked(halves(), {{7, {1, 2, 30, 40}}, {3, {-5, 6, 20, 20}}});
  EXPECT_EQ(tagger::number_regions(buffer.get()),
            (std::vector<tagger::Region>{{7, {1, 2, 30, 40}}, {3, {-5, 6, 20, 20}}}));
}

TEST(Regions, GetAnIdIfTheyHaveNone) {
  // As from elements that do not set ids. A region that has its own id keeps it, in any order.
  const BufferPtr buffer = marked(halves(), {{0, kLeft}, {0, kRight}, {-1, kLeft}, {1, kRight}, {1, kLeft}});
  std::vector<int> found;
  for (const tagger::Region& region : tagger::number_regions(buffer.get())) found.push_back(region.id);
  EXPECT_EQ(found, (std::vector<int>{0, 2, 3, 1, 4}));
  for (const int id : found) EXPECT_TRUE(gst_buffer_get_video_region_of_interest_meta_id(buffer.get(), id));
}

TEST(Regions, WithAbsurdSizesAreEmpty) {
  const BufferPtr buffer = halves();
  gst_buffer_add_video_region_of_interest_meta(buffer.get(), "thing", 0x80000000U, 0, 0x7fffffffU, G_MAXUINT);
  EXPECT_EQ(tagger::number_regions(buffer.get()), (std::vector<tagger::Region>{{0, {}}}));
}

// ---- scoring them

class EveryToy : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(BcpTaggerRegions, EveryToy, testing::Values("toy", "toy-fixed"));

TEST_P(EveryToy, ScoresTheFrameAndEachRegionByItsId) {
  Tagger tagger("inference-region=full-frame+roi", GetParam());
  tagger.caps(rgb_caps(kWidth, kHeight));
  const auto out = tagger.push(marked(halves(5), {{9, kRight}, {4, kLeft}}));
  EXPECT_EQ(ids(out.get()), (std::vector<int>{-1, 9, 4}));
  EXPECT_EQ(best_of(out.get(), 9), "blue");
  EXPECT_EQ(best_of(out.get(), 4), "red");
  EXPECT_EQ(best_of(out.get(), -1), "magenta");  // half and half
  for (const GstBcpMeta* meta : metas(out.get())) {
    EXPECT_FALSE(meta->held);
    EXPECT_EQ(gst_bcp_result_get_pts(meta->result), 5U);
  }
  EXPECT_EQ(tagger.stat<int>("scored"), 1);
  EXPECT_EQ(tagger.stat<int>("regions-scored"), 2);
  EXPECT_TRUE(tagger.faults().empty());
}

TEST_P(EveryToy, GivesARegionTheScoresItsPictureHasAlone) {
  for (const char* coverage : {"coverage=centre", "coverage=squash", "coverage=tiles"}) {
    Tagger tagger(std::string("inference-region=roi-list ") + coverage, GetParam()), alone(coverage, GetParam());
    tagger.caps(rgb_caps(kWidth, kHeight));
    alone.caps(rgb_caps(40, 24));
    const auto whole = marked(halves(), {{1, {31, 13, 40, 24}}});
    BufferPtr part = frame(kRed, 0, 40, 24);
    GstMapInfo from, to;
    gst_buffer_map(whole.get(), &from, GST_MAP_READ);
    gst_buffer_map(part.get(), &to, GST_MAP_WRITE);
    for (int y = 0; y < 24; ++y) std::memcpy(to.data + y * 120, from.data + (y + 13) * 3 * kWidth + 31 * 3, 120);
    gst_buffer_unmap(part.get(), &to);
    gst_buffer_unmap(whole.get(), &from);
    const auto expected = alone.push(std::move(part));
    const auto out = tagger.push(BufferPtr(gst_buffer_copy(whole.get())));
    const auto actual_logits = logits(result_of(out.get(), 1)), expected_logits = logits(result_of(expected.get(), -1));
    ASSERT_EQ(actual_logits.size(), expected_logits.size());
    for (std::size_t k = 0; k < actual_logits.size(); ++k) EXPECT_NEAR(actual_logits[k], expected_logits[k], 1e-4);
  }
}

TEST(BcpTaggerRegions, CorrectsThemWithTheStatisticsOfFramesAndLearnsNothing) {
  Tagger tagger("preset=paper inference-region=full-frame+roi"), plain("preset=paper");
  for (Tagger* each : {&tagger, &plain}) each->caps(rgb_caps(kWidth, kHeight));
  BufferPtr out, expected;
  GstClockTime pts = 0;
  for (const Colour colour : {kRed, kYellow, kBlue, kRed}) {
    out = tagger.push(marked(frame(colour, pts, kWidth, kHeight), {{1, {8, 8, 64, 64}}, {2, kLeft}}));
    expected = plain.push(frame(colour, pts, kWidth, kHeight));
    pts += 40 * GST_MSECOND;
  }
  EXPECT_EQ(tagger.stat<double>("samples"), plain.stat<double>("samples"));
  const GstBcpResult* of_frame = gst_buffer_get_bcp_meta(expected.get())->result;
  bool corrected = false;
  for (const int id : {-1, 1, 2}) {  // one colour everywhere: each region looks like the frame
    const GstBcpResult* result = result_of(out.get(), id);
    ASSERT_TRUE(result);
    EXPECT_EQ(gst_bcp_result_get_samples(result), 3);
    for (guint k = 0; k < 6; ++k) {
      const double correction = gst_bcp_result_get_correction(result, k);
      EXPECT_NEAR(correction, gst_bcp_result_get_correction(of_frame, k), 1e-4) << id;
      corrected = corrected || correction != 0;
    }
  }
  EXPECT_TRUE(corrected);
}

TEST(BcpTaggerRegions, ScoresTheFirstOfManyAndCountsTheRest) {
  Tagger tagger("inference-region=full-frame+roi max-regions=3");
  tagger.caps(rgb_caps(kWidth, kHeight));
  EXPECT_EQ(ids(tagger.push(marked(halves(), many(5))).get()), (std::vector<int>{-1, 0, 1, 2}));
  EXPECT_EQ(tagger.stat<int>("regions-skipped"), 2);
  g_object_set(tagger.element(), "max-regions", 4, nullptr);
  EXPECT_EQ(ids(tagger.push(marked(halves(), many(5))).get()), (std::vector<int>{-1, 0, 1, 2, 3}));
  g_object_set(tagger.element(), "max-regions", 1, nullptr);
  EXPECT_EQ(ids(tagger.push(marked(halves(), many(5))).get()), (std::vector<int>{-1, 0}));
  EXPECT_EQ(tagger.stat<int>("regions-scored"), 8);
  EXPECT_EQ(tagger.stat<int>("regions-skipped"), 7);
}

TEST(BcpTaggerRegions, ScoresManyAtOnce) {
  Tagger tagger("inference-region=roi-list max-regions=1024");
  tagger.caps(rgb_caps(kWidth, kHeight));
  EXPECT_EQ(ids(tagger.push(marked(halves(), many(40))).get()).size(), 40U);
}

TEST(BcpTaggerRegions, ClipsThemToTheFrameAndSkipsWhatIsTooSmall) {
  Tagger tagger("inference-region=roi-list max-regions=3");
  tagger.caps(rgb_caps(kWidth, kHeight));
  const auto out = tagger.push(marked(halves(), {{1, {-40, -8, 60, 40}},  // 20 x 32 of it are inside
                                                 {2, {200, 10, 30, 30}},
                                                 {3, {10, 10, 15, 30}},
                                                 {4, {81, 10, 30, 30}},  // 15 columns are inside
                                                 {5, {80, 10, 4000, 4000}},
                                                 {6, {0, 0, 0, 0}},
                                                 {7, {0, 0, kWidth, kHeight}}}));
  EXPECT_EQ(ids(out.get()), (std::vector<int>{1, 5, 7}));  // skipped regions do not count for max-regions
  EXPECT_EQ(best_of(out.get(), 1), "red");
  EXPECT_EQ(best_of(out.get(), 5), "blue");
  EXPECT_EQ(tagger.stat<int>("regions-skipped"), 4);
  EXPECT_EQ(tagger.stat<int>("faults"), 0);
  EXPECT_TRUE(tagger.faults().empty());
}

TEST(BcpTaggerRegions, PassesAFrameWhoseRegionsAreAllTooSmallWithoutAResult) {
  Tagger tagger("inference-region=roi-list");
  tagger.caps(rgb_caps(kWidth, kHeight));
  EXPECT_EQ(metas(tagger.push(marked(halves(), {{1, {0, 0, 9, 9}}})).get()).size(), 0U);
  EXPECT_EQ(tagger.stat<int>("scored"), 0);
  EXPECT_TRUE(tagger.faults().empty());
}

// The toy model fails on black.
TEST_P(EveryToy, LosesOnlyTheRegionThatCannotBeEncoded) {
  for (const char* what : {"full-frame+roi", "roi-list"}) {
    Tagger tagger(std::string("inference-region=") + what, GetParam());
    tagger.caps(rgb_caps(kWidth, kHeight));
    BufferPtr dark = halves();
    gst_buffer_memset(dark.get(), 0, 0, 3 * kWidth * 16);
    const auto out =
        tagger.push(marked(std::move(dark), {{1, {0, 16, 48, 48}}, {2, {0, 0, 96, 16}}, {3, {48, 16, 48, 48}}}));
    EXPECT_EQ(best_of(out.get(), 1), "red") << what;
    EXPECT_EQ(result_of(out.get(), 2), nullptr) << what;
    EXPECT_EQ(best_of(out.get(), 3), "blue") << what;
    EXPECT_EQ(result_of(out.get(), -1) != nullptr, std::string(what) == "full-frame+roi");
    EXPECT_EQ(tagger.stat<int>("regions-scored"), 2);
    EXPECT_EQ(tagger.stat<int>("faults"), 1);
    EXPECT_EQ(tagger.stat<int>("scored"), 1);
  }
}

TEST(BcpTaggerRegions, RunsNoInferenceOnAFrameWithoutRegions) {
  Tagger tagger("inference-region=roi-list inference-interval=3");
  tagger.caps(rgb_caps(kWidth, kHeight));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(metas(tagger.push(halves()).get()).size(), 0U);
  EXPECT_EQ(tagger.stat<int>("scored"), 0);
  // The next frame with a region is scored instead.
  EXPECT_EQ(ids(tagger.push(marked(halves(), {{1, kLeft}})).get()), (std::vector<int>{1}));
  EXPECT_EQ(tagger.stat<int>("scored"), 1);
  EXPECT_EQ(tagger.stat<double>("samples"), 0);
}

TEST(BcpTaggerRegions, IgnoresThemByDefault) {
  Tagger tagger;
  tagger.caps(rgb_caps(kWidth, kHeight));
  const auto out = tagger.push(marked(halves(), {{0, kLeft}, {0, kRight}}));
  EXPECT_EQ(ids(out.get()), (std::vector<int>{-1}));
  EXPECT_TRUE(gst_buffer_get_video_region_of_interest_meta_id(out.get(), 0));
  EXPECT_FALSE(gst_buffer_get_video_region_of_interest_meta_id(out.get(), 1));
}

TEST(BcpTaggerRegions, FindsThemInACroppedOrRotatedBuffer) {
  // Rotated by its tag, and cropped: boxes are still in stored pixels.
  Tagger tagger("inference-region=roi-list");
  tagger.caps(rgb_caps(kWidth, kHeight));
  tagger.event(gst_event_new_tag(gst_tag_list_new(GST_TAG_IMAGE_ORIENTATION, "rotate-90", nullptr)));
  auto buffer = marked(halves(), {{1, {20, 20, 28, 24}}, {2, {52, 20, 30, 24}}, {3, {0, 0, 24, 64}}});
  GstVideoCropMeta* crop = gst_buffer_add_video_crop_meta(buffer.get());
  crop->x = 24;
  crop->y = 8;
  crop->width = 72;
  crop->height = 48;
  const auto out = tagger.push(std::move(buffer));
  EXPECT_EQ(ids(out.get()), (std::vector<int>{1, 2}));  // the third is cropped away
  EXPECT_EQ(best_of(out.get(), 1), "red");
  EXPECT_EQ(best_of(out.get(), 2), "blue");
}

// ---- attaching their results

TEST(BcpTaggerRegions, HoldsTheLastResultWhileTheRegionExists) {
  Tagger tagger("inference-region=full-frame+roi inference-interval=4");
  tagger.caps(rgb_caps(kWidth, kHeight));
  EXPECT_EQ(ids(tagger.push(marked(halves(), {{1, kLeft}, {2, kRight}})).get()), (std::vector<int>{-1, 1, 2}));
  const auto second = tagger.push(marked(halves(40 * GST_MSECOND), {{2, {10, 10, 20, 20}}, {8, kLeft}}));
  EXPECT_EQ(ids(second.get()), (std::vector<int>{-1, 2}));
  for (const GstBcpMeta* meta : metas(second.get())) {
    EXPECT_TRUE(meta->held);
    EXPECT_EQ(meta->age, 40 * GST_MSECOND);
  }
  EXPECT_EQ(ids(tagger.push(halves()).get()), (std::vector<int>{-1}));
  EXPECT_EQ(ids(tagger.push(marked(halves(), {{1, kLeft}})).get()), (std::vector<int>{-1, 1}));
}

TEST(BcpTaggerRegions, AttachesANewResultToTheNextFrameEvenWithoutItsRegion) {
  Tagger tagger("inference-region=full-frame+roi mode=async inference-interval=1000");
  tagger.caps(rgb_caps(kWidth, kHeight));
  EXPECT_EQ(metas(tagger.push(marked(halves(), {{6, kRight}})).get()).size(), 0U);
  for (int i = 0; i < 5000 && tagger.stat<int>("scored") == 0; ++i) g_usleep(1000);
  BufferPtr fresh;
  for (int i = 0; i < 5000 && (!fresh || metas(fresh.get()).empty()); ++i) {  // it is counted before it is attached
    fresh = tagger.push(halves());
    if (metas(fresh.get()).empty()) g_usleep(1000);
  }
  EXPECT_EQ(ids(fresh.get()), (std::vector<int>{-1, 6}));
  for (const GstBcpMeta* meta : metas(fresh.get())) EXPECT_FALSE(meta->held);
  EXPECT_EQ(best_of(fresh.get(), 6), "blue");
  EXPECT_EQ(ids(tagger.push(halves()).get()), (std::vector<int>{-1}));
  EXPECT_EQ(ids(tagger.push(marked(halves(), {{6, kRight}})).get()), (std::vector<int>{-1, 6}));
}

TEST(BcpTaggerRegions, PostsAMessageForEachOfThem) {
  Tagger tagger("inference-region=full-frame+roi post-messages=results");
  tagger.caps(rgb_caps(kWidth, kHeight));
  tagger.push(marked(halves(), {{3, kLeft}}));
  std::vector<int> posted;
  for (const auto& message : tagger.messages("bcp-result")) {
    gint region = -2;
    EXPECT_TRUE(gst_structure_get_int(message.get(), "region", &region));
    posted.push_back(region);
  }
  EXPECT_EQ(posted, (std::vector<int>{-1, 3}));
}

TEST(BcpTaggerRegions, PostsEventsOfWholeFramesOnly) {
  Tagger both("inference-region=full-frame+roi post-messages=events"),
      regions("inference-region=roi-list post-messages=events");
  for (Tagger* each : {&both, &regions}) {
    each->caps(rgb_caps(kWidth, kHeight));
    each->push(marked(frame(kRed, 0, kWidth, kHeight), {{3, kLeft}}));
  }
  EXPECT_EQ(both.messages("bcp-event").size(), 1U);
  EXPECT_EQ(regions.messages("bcp-event").size(), 0U);
}

}  // namespace
}  // namespace bcp::test
