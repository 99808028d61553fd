// SPDX-License-Identifier: LGPL-2.1-or-later

#include "publish_support.hpp"

namespace bcp::test {
namespace {

using gst::BcpResultPtr;
using gst::BufferPtr;

TEST(BcpPublish, WritesOneLineForEachNewResult) {
  const Folder folder;
  Publisher p(folder.file("out.jsonl"));
  const BcpResultPtr first = street(0), second = street(80 * GST_MSECOND);
  EXPECT_EQ(p.push(first, 0), GST_FLOW_OK);
  EXPECT_EQ(p.push(first, 40 * GST_MSECOND, true), GST_FLOW_OK);
  EXPECT_EQ(p.push(nullptr, 60 * GST_MSECOND), GST_FLOW_OK);
  EXPECT_EQ(p.push(second, 80 * GST_MSECOND), GST_FLOW_OK);
  const auto lines = json_lines(folder.file("out.jsonl"));  // while it runs: flushed per line
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["pts"], 0.0);
  EXPECT_EQ(lines[1]["pts"], 0.08);
  EXPECT_EQ(lines[1]["inference_pts"], 0.08);
  EXPECT_EQ(lines[1]["source"], "cam");
  EXPECT_EQ(p.stat("lines"), 2U);
  EXPECT_EQ(p.stat("lost"), 0U);
  EXPECT_TRUE(faults(p.bus.get()).empty());
}

TEST(BcpPublish, WritesALineForEachResultOnABuffer) {
  const Folder folder;
  Publisher p(folder.file("out"));
  GstBuffer* buffer = gst_harness_create_buffer(p.h.get(), 16);
  attach(buffer, street(0, "cam", 1));
  attach(buffer, street(0, "cam", 2), true);
  attach(buffer, street(0, "cam", 3));
  gst_harness_push(p.h.get(), buffer);
  const auto lines = json_lines(folder.file("out"));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["region"], 1);
  EXPECT_EQ(lines[1]["region"], 3);
}

TEST(BcpPublish, WritesEventsOfWholeFramesOnly) {
  const Folder folder;
  Publisher p(folder.file("out"));
  g_object_set(p.element.get(), "events", TRUE, nullptr);
  const auto push = [&](const std::vector<gint>& regions) {
    GstBuffer* buffer = gst_harness_create_buffer(p.h.get(), 16);
    for (const gint region : regions) attach(buffer, street(0, "cam", region));
    gst_harness_push(p.h.get(), buffer);
    return json_lines(folder.file("out")).size();
  };
  EXPECT_EQ(push({1, 2}), 2U);
  EXPECT_EQ(push({2, -1}), 5U);  // and "car" is on
  EXPECT_EQ(push({3}), 6U);      // it stays on: there was no result of the whole frame
}

TEST(BcpPublish, WritesAResultOnceEvenIfItsBufferWasDuplicated) {
  const Folder folder;
  const Pipeline p = pipeline(
      "videotestsrc num-buffers=5 ! video/x-raw,format=GRAY8,width=16,height=16,framerate=5/1 ! identity name=tag ! "
      "videorate ! video/x-raw,framerate=25/1 ! bcppublish location=" +
      folder.file("out") + " ! fakesink");
  on_each_buffer(child(p, "tag").get(), [](GstBuffer* b) { attach(b, street(GST_BUFFER_PTS(b))); });
  EXPECT_TRUE(run(p).empty());
  EXPECT_EQ(json_lines(folder.file("out")).size(), 5U);
}

TEST(BcpPublish, PassesTheSameBufferOn) {
  Publisher p("/dev/null");
  GstBuffer* buffer = gst_harness_create_buffer(p.h.get(), 16);
  attach(buffer, street());
  const BufferPtr kept(gst_buffer_ref(buffer));  // so it is not writable either
  gst_harness_push(p.h.get(), buffer);
  const BufferPtr out(gst_harness_pull(p.h.get()));
  EXPECT_EQ(out.get(), kept.get());
}

TEST(BcpPublish, WritesStreamTime) {
  const Folder folder;
  Publisher p(folder.file("out"));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = 10 * GST_SECOND;
  segment.time = 2 * GST_SECOND;
  gst_harness_push_event(p.h.get(), gst_event_new_segment(&segment));
  p.push(street(10 * GST_SECOND), 11 * GST_SECOND + 1);
  p.push(street(GST_CLOCK_TIME_NONE), GST_CLOCK_TIME_NONE);
  EXPECT_NE(contents(folder.file("out")).find(R"("pts":3.000000001)"), std::string::npos);
  const auto lines = json_lines(folder.file("out"));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["inference_pts"], 2.0);
  EXPECT_TRUE(lines[1]["pts"].is_null());
  EXPECT_TRUE(lines[1]["inference_pts"].is_null());
}

TEST(BcpPublish, TakesTheTimeOfDayFromTheSourceElseFromTheClock) {
  const Folder folder;
  Publisher p(folder.file("out"));
  const auto push_at = [&](const char* caps, GstClockTime time) {
    GstBuffer* buffer = gst_harness_create_buffer(p.h.get(), 16);
    attach(buffer, street());
    const gst::CapsPtr reference(gst_caps_from_string(caps));
    gst_buffer_add_reference_timestamp_meta(buffer, reference.get(), time, GST_CLOCK_TIME_NONE);
    gst_harness_push(p.h.get(), buffer);
  };
  push_at("timestamp/x-unix", 1767268800 * GST_SECOND + 5 * GST_MSECOND);
  push_at("timestamp/x-ntp, host=clock", (1767268800 + 2208988800) * GST_SECOND);
  push_at("timestamp/x-other", 1);
  push_at("timestamp/x-ntp", 1);
  const auto lines = json_lines(folder.file("out"));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0]["utc"], "2026-01-01T12:00:00.005000Z");
  EXPECT_EQ(lines[1]["utc"], "2026-01-01T12:00:00.000000Z");
  for (const std::size_t i : {2U, 3U}) {
    const std::string utc = lines[i]["utc"];
    EXPECT_EQ(utc.size(), 27U);
    EXPECT_GT(utc, "2024");
    EXPECT_NE(utc, lines[0]["utc"].get<std::string>());
  }
}

TEST(BcpPublish, AcceptsAllLabelsWhilePlaying) {
  const Folder folder;
  Publisher p(folder.file("out"));
  p.push(street());
  g_object_set(p.element.get(), "all-labels", TRUE, nullptr);
  p.push(street());
  const auto lines = json_lines(folder.file("out"));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["labels"].size(), 2U);
  EXPECT_EQ(lines[1]["labels"].size(), 3U);
}

TEST(BcpPublish, ReadsResultsOffBuffersThatAreNotVideo) {
  const Folder folder;
  Publisher p(folder.file("out"), "application/x-anything");
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_BYTES);
  gst_harness_push_event(p.h.get(), gst_event_new_segment(&segment));
  EXPECT_EQ(p.push(street(), 5), GST_FLOW_OK);
  ASSERT_EQ(json_lines(folder.file("out")).size(), 1U);
  EXPECT_TRUE(json_lines(folder.file("out"))[0]["pts"].is_null());
}

TEST(BcpPublish, ContinuesAfterGapFlushAndCapsChangeUntilEos) {
  const Folder folder;
  Publisher p(folder.file("out"));
  GstHarness* h = p.h.get();
  p.push(street(), 0);
  EXPECT_TRUE(gst_harness_push_event(h, gst_event_new_gap(0, GST_SECOND)));
  EXPECT_TRUE(gst_harness_push_event(h, gst_event_new_flush_start()));
  EXPECT_TRUE(gst_harness_push_event(h, gst_event_new_flush_stop(TRUE)));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  EXPECT_TRUE(gst_harness_push_event(h, gst_event_new_segment(&segment)));
  p.push(street(), 1);
  gst_harness_set_src_caps_str(h, "video/x-raw,format=RGB,width=8,height=8,framerate=1/1");
  p.push(street(), 2);
  EXPECT_TRUE(gst_harness_push_event(h, gst_event_new_eos()));
  EXPECT_EQ(json_lines(folder.file("out")).size(), 3U);
}

TEST(BcpPublish, KeepsEveryLineOverThreeRounds) {
  const Folder folder;
  write_file(folder.file("out"), "from an earlier run\n");
  const Pipeline p = pipeline(
      "videotestsrc num-buffers=4 ! video/x-raw,format=GRAY8,width=16,height=16 ! identity name=tag ! "
      "bcppublish name=pub location=" +
      folder.file("out") + " ! fakesink");
  on_each_buffer(child(p, "tag").get(), [](GstBuffer* b) { attach(b, street(GST_BUFFER_PTS(b))); });
  for (std::size_t round = 1; round <= 3; ++round) {
    EXPECT_TRUE(run(p).empty());
    EXPECT_EQ(gst_element_set_state(p.get(), GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
    EXPECT_EQ(json_lines(folder.file("out")).size(), 4 * round);
  }
}

TEST(BcpPublish, KeepsTheLinesOfALocationItUsesAgain) {
  const Folder folder;
  Publisher p(folder.file("a"));
  for (const char* name : {"a", "b", "a"}) {
    gst_element_set_state(p.element.get(), GST_STATE_NULL);
    g_object_set(p.element.get(), "location", folder.file(name).c_str(), nullptr);
    gst_harness_play(p.h.get());
    gst_harness_set_src_caps_str(p.h.get(), kVideo);
    p.push(street());
  }
  EXPECT_EQ(json_lines(folder.file("a")).size(), 2U);
  EXPECT_EQ(json_lines(folder.file("b")).size(), 1U);
}

TEST(BcpPublish, KeepsTheOldLinesWhenAppending) {
  const Folder folder;
  write_file(folder.file("out"), "{}\n");
  {
    Publisher p("/dev/null");
    gst_element_set_state(p.element.get(), GST_STATE_NULL);
    g_object_set(p.element.get(), "location", folder.file("out").c_str(), "append", TRUE, nullptr);
    gst_harness_play(p.h.get());
    gst_harness_set_src_caps_str(p.h.get(), kVideo);
    p.push(street());
  }
  EXPECT_EQ(json_lines(folder.file("out")).size(), 2U);
}

}  // namespace
}  // namespace bcp::test
