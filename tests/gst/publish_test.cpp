// SPDX-License-Identifier: LGPL-2.1-or-later

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "support.hpp"

namespace bcp::test {
namespace {

using gst::BcpResultPtr;
using gst::BufferPtr;

constexpr char kVideo[] = "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1";

// A publisher in a harness, started, with its bus.
struct Publisher {
  explicit Publisher(const std::string& location, const char* caps = kVideo)
      : element(gst_element_factory_make("bcppublish", nullptr)) {
    g_object_set(element.get(), "location", location.c_str(), nullptr);
    gst_object_ref_sink(element.get());
    bus = listen(element.get());
    h.reset(gst_harness_new_with_element(element.get(), "sink", "src"));
    gst_harness_set_src_caps_str(h.get(), caps);
  }

  GstFlowReturn push(const BcpResultPtr& result, GstClockTime pts = 0, bool held = false) {
    GstBuffer* buffer = gst_harness_create_buffer(h.get(), 16);
    GST_BUFFER_PTS(buffer) = pts;
    if (result) attach(buffer, result, held);
    return gst_harness_push(h.get(), buffer);
  }

  guint64 stat(const char* name) const {
    GstStructure* stats = nullptr;
    g_object_get(element.get(), "stats", &stats, nullptr);
    const gst::StructurePtr owner(stats);
    guint64 value = ~guint64{0};
    gst_structure_get_uint64(stats, name, &value);
    return value;
  }

  gst::ElementPtr element;
  gst::BusPtr bus;
  Harness h;
};

// Starts a publisher that must not start; its only message.
Message refusal(const std::string& location) {
  gst::ElementPtr element(gst_element_factory_make("bcppublish", nullptr));
  gst_object_ref_sink(element.get());
  g_object_set(element.get(), "location", location.c_str(), nullptr);
  const gst::BusPtr bus = listen(element.get());
  EXPECT_EQ(gst_element_set_state(element.get(), GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  const std::vector<Message> said = faults(bus.get());
  gst_element_set_state(element.get(), GST_STATE_NULL);
  EXPECT_EQ(said.size(), 1U);
  if (said.empty()) return {};
  EXPECT_EQ(said[0].type, GST_MESSAGE_ERROR);
  EXPECT_EQ(said[0].domain, GST_RESOURCE_ERROR);
  return said[0];
}

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

TEST(BcpPublish, TellsEventsOfTheFrameAlone) {
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
  EXPECT_EQ(push({3}), 6U);      // it stays on: nothing was said of the frame
}

TEST(BcpPublish, WritesAResultOnceThoughItsBufferWasDoubledOnTheWay) {
  const Folder folder;
  const Pipeline p = pipeline(
      "videotestsrc num-buffers=5 ! video/x-raw,format=GRAY8,width=16,height=16,framerate=5/1 ! identity name=tag ! "
      "videorate ! video/x-raw,framerate=25/1 ! bcppublish location=" +
      folder.file("out") + " ! fakesink");
  on_each_buffer(child(p, "tag").get(), [](GstBuffer* b) { attach(b, street(GST_BUFFER_PTS(b))); });
  EXPECT_TRUE(run(p).empty());
  EXPECT_EQ(json_lines(folder.file("out")).size(), 5U);
}

TEST(BcpPublish, PassesTheVeryBufferOn) {
  Publisher p("/dev/null");
  GstBuffer* buffer = gst_harness_create_buffer(p.h.get(), 16);
  attach(buffer, street());
  const BufferPtr kept(gst_buffer_ref(buffer));  // so it is not writable either
  gst_harness_push(p.h.get(), buffer);
  const BufferPtr out(gst_harness_pull(p.h.get()));
  EXPECT_EQ(out.get(), kept.get());
}

TEST(BcpPublish, SpeaksOfStreamTime) {
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

TEST(BcpPublish, TakesAllLabelsWhilePlaying) {
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

TEST(BcpPublish, GoesOnAfterGapFlushAndCapsChangeUntilEos) {
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

TEST(BcpPublish, KeepsTheLinesOfALocationItComesBackTo) {
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

TEST(BcpPublish, KeepsWhatTheFileHeldWhenAppending) {
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

TEST(BcpPublish, WarnsOnceOfAFullDiskAndLetsTheVideoGoOn) {
  Publisher p("/dev/full");
  for (GstClockTime i = 0; i < 5; ++i) EXPECT_EQ(p.push(street(), i), GST_FLOW_OK);
  EXPECT_EQ(gst_harness_buffers_received(p.h.get()), 5U);
  EXPECT_EQ(p.stat("lines"), 0U);
  EXPECT_EQ(p.stat("lost"), 5U);
  const auto said = faults(p.bus.get());
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0].type, GST_MESSAGE_WARNING);
  EXPECT_NE(said[0].text.find("'/dev/full'"), std::string::npos) << said[0].text;
  EXPECT_NE(said[0].text.find("disk is full"), std::string::npos) << said[0].text;
}

TEST(BcpPublish, WarnsOnceOfAClosedPipeAndLetsTheVideoGoOn) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Publisher p("/dev/fd/" + std::to_string(ends[1]));
  EXPECT_EQ(p.push(street()), GST_FLOW_OK);
  close(ends[0]);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(p.push(street()), GST_FLOW_OK);
  EXPECT_EQ(p.stat("lines"), 1U);
  EXPECT_EQ(p.stat("lost"), 3U);
  const auto said = faults(p.bus.get());
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0].type, GST_MESSAGE_WARNING);
  close(ends[1]);
}

TEST(BcpPublish, StopsThoughItsReaderDoesNotRead) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    const Pipeline p = pipeline(
        "videotestsrc ! video/x-raw,format=GRAY8,width=16,height=16 ! identity name=tag ! bcppublish "
        "location=/dev/fd/" +
        std::to_string(ends[1]) + " ! fakesink");
    on_each_buffer(child(p, "tag").get(), [](GstBuffer* b) { attach(b, street(GST_BUFFER_PTS(b))); });
    gst_element_set_state(p.get(), GST_STATE_PLAYING);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // a pipe holds 64 KiB: some 150 lines
    EXPECT_EQ(gst_element_set_state(p.get(), GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  }
  close(ends[0]);
  close(ends[1]);
}

TEST(BcpPublish, SeeksThoughItsReaderDoesNotReadAndWritesOnWhenItDoes) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Publisher p("/dev/fd/" + std::to_string(ends[1]));
  std::atomic<int> pushed{0};
  std::thread streaming([&] {
    while (p.push(street()) == GST_FLOW_OK && pushed < 10'000) ++pushed;
  });
  for (int before = -1; std::exchange(before, pushed.load()) != pushed || pushed == 0;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // until the pipe is full
  }
  EXPECT_TRUE(gst_harness_push_event(p.h.get(), gst_event_new_flush_start()));
  streaming.join();
  EXPECT_LT(pushed, 10'000);
  EXPECT_EQ(p.stat("lost"), 1U);
  EXPECT_TRUE(gst_harness_push_event(p.h.get(), gst_event_new_flush_stop(TRUE)));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  EXPECT_TRUE(gst_harness_push_event(p.h.get(), gst_event_new_segment(&segment)));

  std::string read_back(1 << 20, '\0');
  ASSERT_GT(read(ends[0], read_back.data(), read_back.size()), 0);
  const guint64 lines = p.stat("lines");
  EXPECT_EQ(p.push(street()), GST_FLOW_OK);
  EXPECT_EQ(p.stat("lines"), lines + 1);
  close(ends[0]);
  close(ends[1]);
}

TEST(BcpPublish, RefusesASecondPublisherOnOneLocation) {
  const Folder folder;
  const std::string path = folder.file("out");
  {
    Publisher first(path);
    first.push(street());
    std::filesystem::create_symlink(path, folder.file("alias"));
    for (const std::string& name : {path, folder.file("alias")}) {
      const Message said = refusal(name);
      EXPECT_NE(said.text.find(name), std::string::npos) << said.text;
      EXPECT_NE(said.text.find(GST_OBJECT_NAME(first.element.get())), std::string::npos) << said.text;
    }
    first.push(street());
    EXPECT_EQ(json_lines(path).size(), 2U) << "the first one is not disturbed";
  }
  Publisher next(path);  // free again
  EXPECT_TRUE(faults(next.bus.get()).empty());
}

TEST(BcpPublish, SaysWhatIsWrongWithALocationOnce) {
  const Folder folder;
  write_file(folder.file("file"), "");
  EXPECT_NE(refusal("").text.find("No location"), std::string::npos);
  EXPECT_NE(refusal(folder.file("missing/out")).text.find("directory does not exist"), std::string::npos);
  EXPECT_NE(refusal(folder.file(".")).text.find("is a directory"), std::string::npos);
  EXPECT_NE(refusal(folder.file("file/out")).text.find("Not a directory"), std::string::npos);
  if (geteuid() != 0) {
    ASSERT_EQ(chmod(folder.file("file").c_str(), 0400), 0);
    EXPECT_NE(refusal(folder.file("file")).text.find("Permission denied"), std::string::npos);
  }
}

TEST(BcpPublish, StartsAfterALocationWasMended) {
  const Folder folder;
  gst::ElementPtr element(gst_element_factory_make("bcppublish", nullptr));
  gst_object_ref_sink(element.get());
  g_object_set(element.get(), "location", nullptr, nullptr);
  EXPECT_EQ(gst_element_set_state(element.get(), GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  gst_element_set_state(element.get(), GST_STATE_NULL);
  g_object_set(element.get(), "location", folder.file("out").c_str(), nullptr);
  EXPECT_NE(gst_element_set_state(element.get(), GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  gst_element_set_state(element.get(), GST_STATE_NULL);
}

TEST(BcpPublish, WritesToStandardOutputAndLeavesItOpen) {
  const Folder folder;
  const int saved = dup(STDOUT_FILENO);
  const int file = open(folder.file("out").c_str(), O_CREAT | O_RDWR, 0600);
  ASSERT_GE(file, 0);
  std::fflush(stdout);
  dup2(file, STDOUT_FILENO);
  {
    Publisher p("-");
    p.push(street());
  }
  const bool still_open = fcntl(STDOUT_FILENO, F_GETFD) != -1;
  dup2(saved, STDOUT_FILENO);
  close(saved);
  close(file);
  EXPECT_TRUE(still_open);
  EXPECT_EQ(json_lines(folder.file("out")).size(), 1U);
}

}  // namespace
}  // namespace bcp::test
