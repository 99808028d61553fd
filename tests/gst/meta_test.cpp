// SPDX-License-Identifier: LGPL-2.1-or-later

#include <set>

#include "support.hpp"
#include "wire.h"

namespace bcp::test {
namespace {

using gst::BcpLabelsPtr;
using gst::BcpResultPtr;
using gst::BufferPtr;

// ---- Labels and results --------------------------------------------------------------------------------------------

TEST(BcpLabels, FindsEachNameAndNoOther) {
  std::vector<std::string> names;
  std::vector<const char*> pointers;
  for (int i = 0; i < 1000; ++i) names.push_back("label " + std::to_string(i));
  for (const auto& name : names) pointers.push_back(name.c_str());
  const BcpLabelsPtr labels(gst_bcp_labels_new(pointers.data(), 1000));
  for (guint i = 0; i < 1000; ++i) {
    EXPECT_EQ(gst_bcp_labels_find(labels.get(), names[i].c_str()), static_cast<gint>(i));
    EXPECT_STREQ(gst_bcp_labels_get_name(labels.get(), i), names[i].c_str());
  }
  EXPECT_EQ(gst_bcp_labels_find(labels.get(), "label"), -1);
  EXPECT_EQ(gst_bcp_labels_find(labels.get(), ""), -1);
}

TEST(BcpLabels, KeepsItsOwnCopyOfTheNames) {
  std::string name = "car";
  const char* names[] = {name.c_str()};
  const BcpLabelsPtr labels(gst_bcp_labels_new(names, 1));
  name[0] = 'b';
  EXPECT_STREQ(gst_bcp_labels_get_name(labels.get(), 0), "car");
  EXPECT_EQ(gst_bcp_labels_find(labels.get(), "car"), 0);
}

TEST(BcpLabels, FindsTheFirstOfTwoEqualNames) {
  const char* names[] = {"a", "b", "a"};
  const BcpLabelsPtr labels(gst_bcp_labels_new(names, 3));
  EXPECT_EQ(gst_bcp_labels_find(labels.get(), "a"), 0);
  EXPECT_STREQ(gst_bcp_labels_get_name(labels.get(), 2), "a");
}

TEST(BcpLabels, MayBeEmpty) {
  const BcpLabelsPtr labels(gst_bcp_labels_new(nullptr, 0));
  EXPECT_EQ(gst_bcp_labels_get_size(labels.get()), 0U);
  EXPECT_EQ(gst_bcp_labels_find(labels.get(), "a"), -1);
}

TEST(BcpResult, KeepsCopiesOfAllItIsGiven) {
  const BcpResultPtr result = street(40 * GST_MSECOND, "cam", 7);
  const GstBcpResult* r = result.get();
  EXPECT_EQ(gst_bcp_labels_get_size(gst_bcp_result_get_labels(r)), 3U);
  EXPECT_EQ(gst_bcp_result_get_score(r, 2)->correction, -1.25);
  EXPECT_EQ(gst_bcp_result_get_score(r, 1)->probability, 0.9);
  EXPECT_STREQ(gst_bcp_result_get_source_id(r), "cam");
  EXPECT_EQ(gst_bcp_result_get_pts(r), 40 * GST_MSECOND);
  EXPECT_EQ(gst_bcp_result_get_region_id(r), 7);
  EXPECT_EQ(gst_bcp_result_get_anchor(r), 1);
  EXPECT_EQ(gst_bcp_result_get_anchor_probability(r), 0.75);
  EXPECT_EQ(gst_bcp_result_get_samples(r), 412);
  guint size = 0;
  const gfloat* embedding = gst_bcp_result_get_embedding(r, &size);
  ASSERT_EQ(size, 2U);
  EXPECT_EQ(embedding[1], 0.8F);
}

TEST(BcpResult, HasNeitherSourceNorEmbeddingUnlessGiven) {
  const BcpLabelsPtr labels(gst_bcp_labels_new(nullptr, 0));
  const GstBcpResultInfo info = {nullptr, GST_CLOCK_TIME_NONE, -1, -1, 0, 0, nullptr, 0};
  const BcpResultPtr result(gst_bcp_result_new(labels.get(), nullptr, &info));
  guint size = 9;
  EXPECT_EQ(gst_bcp_result_get_source_id(result.get()), nullptr);
  EXPECT_EQ(gst_bcp_result_get_embedding(result.get(), &size), nullptr);
  EXPECT_EQ(size, 0U);
}

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
  EXPECT_EQ(gst_bcp_result_get_score(kept.get(), 1)->probability, 0.9);
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

// ---- The serialised form -------------------------------------------------------------------------------------------

std::vector<guint8> wire(const BcpResultPtr& result, bool held, GstClockTime age) {
  gsize size = 0;
  guint8* bytes = gst_bcp_wire_write(result.get(), held, age, &size);
  std::vector<guint8> all(bytes, bytes + size);
  g_free(bytes);
  return all;
}

BcpResultPtr unwire(const std::vector<guint8>& bytes, guint version = 1) {
  gboolean held;
  GstClockTime age;
  return BcpResultPtr(gst_bcp_wire_read(bytes.data(), bytes.size(), version, &held, &age));
}

TEST(BcpWire, GivesBackWhatWasWritten) {
  const std::vector<guint8> bytes = wire(street(40 * GST_MSECOND, "c\xc3\xa4m", 7), true, 99);
  gboolean held = FALSE;
  GstClockTime age = 0;
  const BcpResultPtr back(gst_bcp_wire_read(bytes.data(), bytes.size(), 1, &held, &age));
  ASSERT_TRUE(back);
  EXPECT_TRUE(held);
  EXPECT_EQ(age, 99U);
  EXPECT_STREQ(gst_bcp_result_get_source_id(back.get()), "c\xc3\xa4m");
  EXPECT_EQ(gst_bcp_result_get_pts(back.get()), 40 * GST_MSECOND);
  EXPECT_EQ(gst_bcp_result_get_region_id(back.get()), 7);
  EXPECT_EQ(wire(back, true, 99), bytes);
}

// As street(), with a colour for one label.
BcpResultPtr coloured() {
  const BcpResultPtr plain = street();
  const char* names[] = {"boat", "car", "tree"};
  const gint colours[] = {-1, 0xe69f00, -1};
  const BcpLabelsPtr labels(gst_bcp_labels_new_with_colors(names, colours, 3));
  const GstBcpResultInfo info = {nullptr, 0, -1, 1, 0, 0, nullptr, 0};
  return BcpResultPtr(gst_bcp_result_new(labels.get(), gst_bcp_result_get_score(plain.get(), 0), &info));
}

TEST(BcpWire, CarriesColoursInAVersionOfTheirOwn) {
  EXPECT_EQ(gst_bcp_wire_version(street().get()), 1) << "readers of the first version read it";
  ASSERT_EQ(gst_bcp_wire_version(coloured().get()), 2);
  const std::vector<guint8> bytes = wire(coloured(), false, 0);
  const BcpResultPtr back = unwire(bytes, 2);
  ASSERT_TRUE(back);
  const GstBcpLabels* labels = gst_bcp_result_get_labels(back.get());
  EXPECT_EQ(gst_bcp_labels_get_color(labels, 0), -1);
  EXPECT_EQ(gst_bcp_labels_get_color(labels, 1), 0xe69f00);
  EXPECT_EQ(wire(back, false, 0), bytes);
  EXPECT_FALSE(unwire(bytes, 1)) << "it is not of that version";
  EXPECT_FALSE(unwire(wire(street(), false, 0), 2));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(unwire({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}, 2)) << size;
  }
}

#if GST_CHECK_VERSION(1, 24, 0)
TEST(BcpWire, CarriesAMetaToAnotherProcess) {
  const BufferPtr from(gst_buffer_new()), to(gst_buffer_new());
  attach(from.get(), street(7), true);
  GByteArray* bytes = g_byte_array_new();
  EXPECT_TRUE(gst_meta_serialize_simple(&gst_buffer_get_bcp_meta(from.get())->meta, bytes));
  guint32 consumed = 0;
  EXPECT_TRUE(gst_meta_deserialize(to.get(), bytes->data, bytes->len, &consumed));
  EXPECT_EQ(consumed, bytes->len);
  g_byte_array_unref(bytes);
  const GstBcpMeta* meta = gst_buffer_get_bcp_meta(to.get());
  ASSERT_TRUE(meta);
  EXPECT_TRUE(meta->held);
  EXPECT_EQ(gst_bcp_result_get_pts(meta->result), 7U);
}
#endif

TEST(BcpWire, KeepsAResultWithNothingInIt) {
  const BcpLabelsPtr labels(gst_bcp_labels_new(nullptr, 0));
  const GstBcpResultInfo info = {nullptr, GST_CLOCK_TIME_NONE, -1, -1, 0, 0, nullptr, 0};
  const BcpResultPtr result(gst_bcp_result_new(labels.get(), nullptr, &info));
  const BcpResultPtr back = unwire(wire(result, false, GST_CLOCK_TIME_NONE));
  ASSERT_TRUE(back);
  EXPECT_EQ(gst_bcp_result_get_source_id(back.get()), nullptr);
  EXPECT_EQ(gst_bcp_result_get_pts(back.get()), GST_CLOCK_TIME_NONE);
}

TEST(BcpWire, RefusesDataCutShortAtEveryByte) {
  const std::vector<guint8> bytes = wire(street(), false, 0);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(unwire({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)})) << size;
  }
}

TEST(BcpWire, RefusesWhatItDoesNotKnow) {
  std::vector<guint8> bytes = wire(street(), false, 0);
  EXPECT_FALSE(unwire(bytes, 0));
  EXPECT_FALSE(unwire(bytes, GST_BCP_WIRE_VERSION + 1));
  bytes.push_back(0);
  EXPECT_FALSE(unwire(bytes)) << "something after the end";
}

TEST(BcpWire, SurvivesEveryWrongByte) {
  const std::vector<guint8> bytes = wire(street(), false, 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const guint8 wrong : std::initializer_list<guint8>{0x00, 0x7f, 0x80, 0xff}) {
      std::vector<guint8> damaged = bytes;
      damaged[i] = wrong;
      const BcpResultPtr back = unwire(damaged);  // may be a result with other numbers; must not read astray
      if (back) {
        EXPECT_LT(gst_bcp_result_get_anchor(back.get()), 3);
      }
    }
  }
}

}  // namespace
}  // namespace bcp::test
