// SPDX-License-Identifier: LGPL-2.1-or-later
//
// bcptagger and the events of a stream (segments, id, tags), and `enabled` changed while it runs.

#include <gst/base/gstbasetransform.h>

#include "tagger_support.hpp"

namespace bcp::test {
namespace {

constexpr GstClockTime kFrame = 40 * GST_MSECOND;

// Counts the warnings of GStreamer while it exists.
class Complaints {
 public:
  Complaints() : handler_(g_log_set_handler("GStreamer", G_LOG_LEVEL_CRITICAL, count, &count_)) {}
  Complaints(const Complaints&) = delete;
  Complaints& operator=(const Complaints&) = delete;
  ~Complaints() { g_log_remove_handler("GStreamer", handler_); }
  int number() const { return count_; }

 private:
  static void count(const gchar*, GLogLevelFlags, const gchar*, gpointer number) { ++*static_cast<int*>(number); }

  int count_ = 0;
  const guint handler_;
};

std::vector<std::string> events(const Tagger& tagger) {
  std::vector<std::string> all;
  for (const auto& event : tagger.messages("bcp-event")) {
    all.push_back(std::string(gst_structure_get_string(event.get(), "event")) + " " +
                  gst_structure_get_string(event.get(), "label"));
  }
  return all;
}

// As from a filesrc or appsrc without a parser.
TEST(BcpTaggerStreams, AreScoredAlsoInASegmentOfBytes) {
  const Complaints complaints;
  Tagger tagger;
  tagger.caps(rgb_caps());
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_BYTES);
  tagger.event(gst_event_new_segment(&segment));
  EXPECT_EQ(best(tagger.push(frame(kRed)).get()), "red");
  EXPECT_EQ(best(tagger.push(frame(kGreen, GST_CLOCK_TIME_NONE)).get()), "green");
  EXPECT_EQ(complaints.number(), 0);
}

TEST(BcpTaggerStreams, EndTheirLabelsWhenAnotherOneFollows) {
  Tagger tagger("post-messages=events");
  tagger.caps(rgb_caps());
  tagger.event(gst_event_new_stream_start("one"));
  tagger.push(frame(kRed));
  tagger.event(gst_event_new_stream_start("two"));
  tagger.push(frame(kRed));
  EXPECT_EQ(events(tagger), (std::vector<std::string>{"label-on red", "label-off red", "label-on red"}));
}

// A stream that continues with the same id does not send its tags again.
TEST(BcpTaggerStreams, KeepTheirOrientationWhenTheyStartAgain) {
  Tagger tagger("attach-embedding=true");
  tagger.caps(rgb_caps(64, 64));
  const auto half_blue = [] {
    auto buffer = frame(kRed, 0, 64, 64);
    GstMapInfo map;
    gst_buffer_map(buffer.get(), &map, GST_MAP_WRITE);
    for (int i = 0; i < 32 * 64; ++i) std::memcpy(map.data + 3 * i, &kBlue, 3);
    gst_buffer_unmap(buffer.get(), &map);
    return buffer;
  };
  const auto embedding = [&] {
    const auto out = tagger.push(half_blue());
    guint size = 0;
    const gfloat* values = gst_bcp_result_get_embedding(gst_buffer_get_bcp_meta(out.get())->result, &size);
    return std::vector<gfloat>(values, values + size);
  };
  tagger.event(gst_event_new_stream_start("one"));
  const auto upright = embedding();
  tagger.event(gst_event_new_tag(gst_tag_list_new(GST_TAG_IMAGE_ORIENTATION, "rotate-90", nullptr)));
  const auto turned = embedding();
  ASSERT_NE(turned, upright);
  tagger.event(gst_event_new_stream_start("one"));
  EXPECT_EQ(embedding(), turned);
  tagger.event(gst_event_new_stream_start("two"));
  EXPECT_EQ(embedding(), upright);
}

// The base class reads passthrough more than once per frame; it must not change in between.
TEST(BcpTaggerStreams, AreSwitchedOnAndOffBetweenFramesOnly) {
  Tagger tagger;
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed));
  GstBaseTransform* transform = GST_BASE_TRANSFORM(tagger.element());
  g_object_set(tagger.element(), "enabled", FALSE, nullptr);
  EXPECT_FALSE(gst_base_transform_is_passthrough(transform));
  EXPECT_FALSE(gst_buffer_get_bcp_meta(tagger.push(frame(kRed, kFrame)).get()));
  EXPECT_TRUE(gst_base_transform_is_passthrough(transform));
}

}  // namespace
}  // namespace bcp::test
