// SPDX-License-Identifier: LGPL-2.1-or-later

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <clocale>
#include <cmath>
#include <csignal>
#include <thread>

#include "line_writer.hpp"
#include "result_json.hpp"
#include "support.hpp"

namespace bcp::test {
namespace {

using gst::BcpLabelsPtr;
using gst::BcpResultPtr;
using gst::BufferPtr;
using nlohmann::ordered_json;

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

ordered_json parsed(const BcpResultPtr& result, bool all_labels = false, const gst::ResultTimes& times = {}) {
  gst::ResultJson json;
  return ordered_json::parse(json.compose(result.get(), times, all_labels));
}

// ---- The line ------------------------------------------------------------------------------------------------------

TEST(ResultJson, IsThisLine) {
  gst::ResultJson json;
  EXPECT_EQ(
      json.compose(street(0, "cam").get(),
                   {.pts = 1234 * GST_MSECOND, .inference_pts = 1200 * GST_MSECOND, .utc_us = 1767268800000123}, false),
      R"({"version":1,"source":"cam","pts":1.234000000,"utc":"2026-01-01T12:00:00.000123Z",)"
      R"("inference_pts":1.200000000,"region":null,"anchor":{"label":"car","probability":0.75},"samples":412,)"
      R"("labels":[{"label":"car","shown":true,"probability":0.9,"logit":27.125,"zero_shot":27.125,)"
      R"("correction":0},{"label":"tree","shown":false,"probability":0.095,"logit":23.75,"zero_shot":25,)"
      R"("correction":-1.25}]})");
}

TEST(ResultJson, AddsTheRestWhenAskedForAllLabels) {
  const ordered_json line = parsed(street(), true);
  ASSERT_EQ(line["labels"].size(), 3U);
  EXPECT_EQ(line["labels"][2]["label"], "boat");
  EXPECT_EQ(line["labels"][2]["shown"], false);
}

TEST(ResultJson, SaysNullForWhatThereIsNot) {
  const BcpLabelsPtr labels(gst_bcp_labels_new(nullptr, 0));
  const GstBcpResultInfo info = {nullptr, GST_CLOCK_TIME_NONE, -1, -1, 0, 0, nullptr, 0};
  const ordered_json line = parsed(BcpResultPtr(gst_bcp_result_new(labels.get(), nullptr, &info)));
  for (const char* key : {"source", "pts", "inference_pts", "region", "anchor"})
    EXPECT_TRUE(line[key].is_null()) << key;
  EXPECT_TRUE(line["labels"].empty());
}

TEST(ResultJson, NamesTheRegion) {
  EXPECT_EQ(parsed(street(0, "cam", 12))["region"], 12);
}

TEST(ResultJson, StaysValidForNumbersThatAreNotFinite) {
  const char* names[] = {"a", "b", "c"};
  const BcpLabelsPtr labels(gst_bcp_labels_new(names, 3));
  const GstBcpScore scores[] = {{NAN, INFINITY, -INFINITY, 0, NAN, GST_BCP_SCORE_SHOWN},
                                {1e300, -1e-300, -0.0, 0, 0.25, GST_BCP_SCORE_SHOWN},
                                {0, 0, 0, 0, NAN, GST_BCP_SCORE_SHOWN}};
  const GstBcpResultInfo info = {nullptr, 0, -1, 0, NAN, 1234567890, nullptr, 0};
  const ordered_json line = parsed(BcpResultPtr(gst_bcp_result_new(labels.get(), scores, &info)));
  EXPECT_EQ(line["labels"][0]["label"], "b");
  EXPECT_TRUE(line["labels"][1]["logit"].is_null());
  EXPECT_TRUE(line["anchor"]["probability"].is_null());
  EXPECT_EQ(line["samples"], 1234567890);
}

TEST(ResultJson, EscapesNamesAndReplacesBytesThatAreNotUtf8) {
  const char* names[] = {"a \"quoted\"\n\\ one", "caf\xe9", "na\xc3\xafve"};
  const BcpLabelsPtr labels(gst_bcp_labels_new(names, 3));
  std::vector<GstBcpScore> scores(3, GstBcpScore{0, 0, 0, 0, 0.5, GST_BCP_SCORE_SHOWN});
  const GstBcpResultInfo info = {"\xff", 0, -1, 1, 0, 0, nullptr, 0};
  gst::ResultJson json;
  const BcpResultPtr result(gst_bcp_result_new(labels.get(), scores.data(), &info));
  const std::string text = json.compose(result.get(), {}, false);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const ordered_json line = ordered_json::parse(text);
  EXPECT_EQ(line["labels"][0]["label"], names[0]);
  EXPECT_EQ(line["labels"][1]["label"], "caf\xef\xbf\xbd");
  EXPECT_EQ(line["labels"][2]["label"], names[2]);
}

TEST(ResultJson, WritesADecimalPointInEveryLocale) {
  const char* set = nullptr;
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"}) {
    if ((set = std::setlocale(LC_NUMERIC, name))) break;
  }
  const ordered_json line = parsed(street(), false, {.pts = GST_SECOND / 2});
  std::setlocale(LC_NUMERIC, "C");
  EXPECT_EQ(line["labels"][0]["probability"], 0.9);
  EXPECT_EQ(line["pts"], 0.5);
  if (!set) GTEST_SKIP() << "no locale with a decimal comma is installed";
}

// ---- The writer of lines -------------------------------------------------------------------------------------------

std::unique_ptr<LineWriter> opened(const std::string& location,
                                   LineWriter::Start start = LineWriter::Start::kTruncate) {
  auto writer = LineWriter::open(location, start, "test");
  EXPECT_TRUE(writer) << (writer ? "" : writer.error().message);
  return writer ? std::move(*writer) : nullptr;
}

TEST(LineWriter, StartsALineOfItsOwnAfterAFileThatEndsInsideOne) {
  const Folder folder;
  const std::string path = folder.file("out");
  write_file(path, "whole\nhalf a li");
  EXPECT_TRUE(opened(path, LineWriter::Start::kAppend)->write("next"));
  EXPECT_EQ(contents(path), "whole\nhalf a li\nnext\n");
}

TEST(LineWriter, LeavesNoHalfLineInAFileThatCannotGrow) {
  const Folder folder;
  const std::string path = folder.file("out");
  // The limit is the process's: tried in a child, which must not die of SIGXFSZ either.
  const pid_t pid = fork();
  if (pid == 0) {
    std::signal(SIGXFSZ, SIG_DFL);
    const rlimit limit = {100, 100};
    auto writer = LineWriter::open(path, LineWriter::Start::kTruncate, "test");
    bool good = writer && (*writer)->write(std::string(59, 'a'));
    setrlimit(RLIMIT_FSIZE, &limit);
    good = good && !(*writer)->write(std::string(59, 'b'));  // 40 of 60 bytes fit
    good = good && (*writer)->write(std::string(19, 'c'));
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contents(path), std::string(59, 'a') + "\n" + std::string(19, 'c') + "\n");
}

TEST(LineWriter, SurvivesAReaderThatWentAway) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto writer = opened("/dev/fd/" + std::to_string(ends[1]));
  ASSERT_TRUE(writer);
  EXPECT_TRUE(writer->write("one"));
  close(ends[0]);
  const Status status = writer->write("two");
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("reader has gone"), std::string::npos) << status.error().message;
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGPIPE), 0);
  close(ends[1]);
}

TEST(LineWriter, StopsWaitingForAFullPipeWhenCancelled) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto writer = opened("/dev/fd/" + std::to_string(ends[1]));
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    writer->cancel();
  });
  EXPECT_FALSE(writer->write(std::string(1 << 20, 'x')));
  canceller.join();
  close(ends[0]);
  close(ends[1]);
}

TEST(LineWriter, NeverWaitsForAFifoThatNobodyReads) {
  const Folder folder;
  const std::string path = folder.file("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto writer = LineWriter::open(path, LineWriter::Start::kTruncate, "test");
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().message.find("nobody reads"), std::string::npos) << writer.error().message;
}

TEST(LineWriter, RefusesAFileAnotherProcessWrites) {
  const Folder folder;
  const std::string path = folder.file("out");
  int ready[2], done[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(done), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    close(done[1]);  // so that the child ends with its parent, whatever happens
    auto writer = LineWriter::open(path, LineWriter::Start::kTruncate, "child");
    if (writer) (void)static_cast<bool>((*writer)->write("the child's"));
    char byte = 0;
    if (write(ready[1], &byte, 1) != 1 || read(done[0], &byte, 1) != 1) _exit(1);
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const auto writer = LineWriter::open(path, LineWriter::Start::kTruncate, "test");
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().message.find("another process"), std::string::npos) << writer.error().message;
  EXPECT_EQ(contents(path), "the child's\n") << "a refused writer must not empty the file";
  ASSERT_EQ(write(done[1], &byte, 1), 1);
  waitpid(pid, nullptr, 0);
  for (const int fd : {ready[0], ready[1], done[0], done[1]}) close(fd);
  EXPECT_TRUE(opened(path));
}

// ---- The element ---------------------------------------------------------------------------------------------------

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
    EXPECT_NE(utc, lines[0]["utc"]);
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
