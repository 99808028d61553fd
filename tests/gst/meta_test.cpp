// SPDX-License-Identifier: LGPL-2.1-or-later

#include <set>

#include "support.hpp"

namespace bcp::test {
namespace {

using gst::BcpResultPtr;
using gst::BufferPtr;

// ---- The meta on a buffer ------------------------------------------------------------------------------------------

TEST(BcpMeta, HasNoTags) {
  EXPECT_FALSE(gst_meta_api_type_get_tags(GST_BCP_META_API_TYPE));
}

TEST(BcpMeta, SharesItsResultWithCopiesOfTheBuffer) {
  const BufferPtr buffer(gst_buffer_new_allocate(nullptr, 16, nullptr));
  attach(buffer.get(), street(), true)->age = 5;
  const BufferPtr shallow(gst_buffer_copy(buffer.get())), deep(gst_buffer_copy_deep(buffer.get()));
  const GstBcpResult* result = gst_buffer_get_bcp_meta(buffer.get())->result;
  for (const BufferPtr* copy : {&shallow, &deep}) {
    const GstBcpMeta* meta = gst_buffer_get_bcp_meta(copy->get());
    ASSERT_TRUE(meta);
    EXPECT_EQ(meta->result, result);
    EXPECT_TRUE(meta->held);
    EXPECT_EQ(meta->age, 5U);
  }
}

TEST(BcpMeta, StaysOnAPartOfABuffer) {
  const BufferPtr buffer(gst_buffer_new_allocate(nullptr, 16, nullptr));
  attach(buffer.get(), street());
  const BufferPtr part(gst_buffer_copy_region(buffer.get(), GST_BUFFER_COPY_ALL, 4, 4));
  EXPECT_TRUE(gst_buffer_get_bcp_meta(part.get()));
}

TEST(BcpMeta, FollowsAScalingAndIgnoresATransformItDoesNotKnow) {
  const BufferPtr from(gst_buffer_new()), to(gst_buffer_new());
  GstMeta* meta = &attach(from.get(), street())->meta;
  const auto transform = GST_BCP_META_INFO->transform_func;
  EXPECT_FALSE(transform(to.get(), meta, from.get(), g_quark_from_static_string("something-else"), nullptr));
  EXPECT_FALSE(gst_buffer_get_bcp_meta(to.get()));
  EXPECT_TRUE(transform(to.get(), meta, from.get(), g_quark_from_static_string("gst-video-scale"), nullptr));
  EXPECT_TRUE(gst_buffer_get_bcp_meta(to.get()));
}

TEST(BcpMeta, PrefersTheWholeFrameToARegion) {
  const BufferPtr buffer(gst_buffer_new());
  EXPECT_FALSE(gst_buffer_get_bcp_meta(buffer.get()));
  attach(buffer.get(), street(0, "cam", 3));
  EXPECT_EQ(gst_bcp_result_get_region_id(gst_buffer_get_bcp_meta(buffer.get())->result), 3);
  attach(buffer.get(), street());
  EXPECT_EQ(gst_bcp_result_get_region_id(gst_buffer_get_bcp_meta(buffer.get())->result), -1);

  std::vector<gint> regions;
  gpointer state = nullptr;
  while (const GstBcpMeta* meta = gst_buffer_iterate_bcp_meta(buffer.get(), &state)) {
    regions.push_back(gst_bcp_result_get_region_id(meta->result));
  }
  EXPECT_EQ(regions, (std::vector<gint>{3, -1}));
}

// ---- Real elements -------------------------------------------------------------------------------------------------

struct Way {
  const char* name;
  const char* launch;
};
void PrintTo(const Way& way, std::ostream* out) {
  *out << way.name;
}

class BcpMetaSurvives : public testing::TestWithParam<Way> {};

// Frames whose meta remembers their pts, sent through `launch`; what arrived at the sink.
std::vector<BufferPtr> send_through(const std::string& launch) {
  std::vector<BufferPtr> arrived;
  const Pipeline p = pipeline(
      "videotestsrc num-buffers=20 pattern=ball ! video/x-raw,format=I420,width=128,height=96,framerate=25/1 "
      "! identity name=tag ! " +
      launch + " ! fakesink name=out");
  on_each_buffer(child(p, "tag").get(), [](GstBuffer* buffer) { attach(buffer, street(GST_BUFFER_PTS(buffer))); });
  collect(child(p, "out").get(), arrived);
  for (const Message& fault : run(p)) ADD_FAILURE() << fault.text;
  return arrived;
}

TEST_P(BcpMetaSurvives, OnEveryFrame) {
  const std::vector<BufferPtr> arrived = send_through(GetParam().launch);
  ASSERT_FALSE(arrived.empty());
  std::set<GstClockTime> seen;
  for (const BufferPtr& buffer : arrived) {
    gpointer state = nullptr;
    const GstBcpMeta* meta = gst_buffer_iterate_bcp_meta(buffer.get(), &state);
    ASSERT_TRUE(meta);
    EXPECT_STREQ(gst_bcp_result_get_source_id(meta->result), "cam");
    seen.insert(gst_bcp_result_get_pts(meta->result));
    EXPECT_FALSE(gst_buffer_iterate_bcp_meta(buffer.get(), &state)) << "twice on one buffer";
  }
  EXPECT_GE(seen.size(), 6U);
}

INSTANTIATE_TEST_SUITE_P(
    Through, BcpMetaSurvives,
    testing::Values(
        Way{"queue", "queue"}, Way{"tee", "tee name=t ! queue ! fakesink t. ! queue"},
        Way{"videoconvert", "videoconvert ! video/x-raw,format=BGRx"},
        Way{"videoscale", "videoscale ! video/x-raw,width=64,height=64"},
        Way{"videoconvertscale", "videoconvertscale ! video/x-raw,format=RGB,width=200,height=100"},
        Way{"videocrop", "videocrop left=10 top=6 right=2"}, Way{"videoflip", "videoflip method=clockwise"},
        Way{"videorate_up", "videorate ! video/x-raw,framerate=50/1"},
        Way{"videorate_down", "videorate ! video/x-raw,framerate=10/1"}, Way{"videobalance", "videobalance hue=0.5"},
        Way{"jpegenc", "jpegenc"}, Way{"x264enc", "x264enc"}, Way{"x264enc_zerolatency", "x264enc tune=zerolatency"},
        Way{"x264enc_h264parse", "x264enc ! h264parse"},
        Way{"x264enc_to_nal_units", "x264enc sliced-threads=true threads=2 ! h264parse ! video/x-h264,alignment=nal"},
        Way{"x264enc_decoded", "x264enc ! h264parse ! avdec_h264"}, Way{"bcppublish", "bcppublish location=/dev/null"}),
    [](const auto& way) { return std::string(way.param.name); });

TEST(BcpMeta, StaysWithItsPictureWhenTheEncoderReordersFrames) {
  const std::vector<BufferPtr> arrived = send_through("x264enc bframes=3 b-adapt=false");
  ASSERT_EQ(arrived.size(), 20U);
  std::set<GstClockTime> shift;  // the encoder moves all times by one constant
  for (const BufferPtr& buffer : arrived) {
    const GstBcpMeta* meta = gst_buffer_get_bcp_meta(buffer.get());
    ASSERT_TRUE(meta);
    shift.insert(GST_BUFFER_PTS(buffer.get()) - gst_bcp_result_get_pts(meta->result));
  }
  EXPECT_EQ(shift.size(), 1U);
}

TEST(BcpMeta, OutlivesThePipelineThatMadeIt) {
  std::vector<BufferPtr> arrived = send_through("videoconvert ! video/x-raw,format=RGB");
  ASSERT_EQ(arrived.size(), 20U);
  const BcpResultPtr kept(gst_bcp_result_ref(gst_buffer_get_bcp_meta(arrived.back().get())->result));
  arrived.clear();
  EXPECT_STREQ(gst_bcp_labels_get_name(gst_bcp_result_get_labels(kept.get()), 1), "car");
  EXPECT_EQ(gst_bcp_result_get_probability(kept.get(), 1), 0.9);
}

TEST(BcpMeta, LeavesTheBranchesOfATeeSharingOneMemory) {
  std::vector<BufferPtr> left, right;
  const Pipeline p = pipeline(
      "videotestsrc num-buffers=5 ! video/x-raw,format=RGB,width=64,height=48 ! identity name=tag ! tee name=t "
      "t. ! queue ! bcppublish location=/dev/null ! fakesink name=left t. ! queue ! fakesink name=right");
  on_each_buffer(child(p, "tag").get(), [](GstBuffer* buffer) { attach(buffer, street()); });
  collect(child(p, "left").get(), left);
  collect(child(p, "right").get(), right);
  EXPECT_TRUE(run(p).empty());
  ASSERT_EQ(left.size(), 5U);
  ASSERT_EQ(right.size(), 5U);
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(gst_buffer_peek_memory(left[i].get(), 0), gst_buffer_peek_memory(right[i].get(), 0));
    EXPECT_EQ(gst_buffer_get_bcp_meta(left[i].get())->result, gst_buffer_get_bcp_meta(right[i].get())->result);
  }
}

}  // namespace
}  // namespace bcp::test
