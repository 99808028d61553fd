// SPDX-License-Identifier: LGPL-2.1-or-later

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "publish_support.hpp"

namespace bcp::test {
namespace {

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

TEST(BcpPublish, WarnsOnceAboutAFullDiskAndTheVideoContinues) {
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

TEST(BcpPublish, WarnsOnceAboutAClosedPipeAndTheVideoContinues) {
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

TEST(BcpPublish, StopsEvenIfItsReaderDoesNotRead) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    const Pipeline p = pipeline(
        "videotestsrc ! video/x-raw,format=GRAY8,width=16,height=16 ! identity name=tag ! bcppublish "
        "location=/dev/fd/" +
        std::to_string(ends[1]) + " ! fakesink");
    on_each_buffer(child(p, "tag").get(), [](GstBuffer* b) { attach(b, street(GST_BUFFER_PTS(b))); });
    gst_element_set_state(p.get(), GST_STATE_PLAYING);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // a pipe holds 64 KiB: about 150 lines
    EXPECT_EQ(gst_element_set_state(p.get(), GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  }
  close(ends[0]);
  close(ends[1]);
}

TEST(BcpPublish, SeeksEvenIfItsReaderDoesNotReadAndWritesAgainWhenItDoes) {
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

TEST(BcpPublish, ReportsAnInvalidLocationOnce) {
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

TEST(BcpPublish, StartsAfterTheLocationWasFixed) {
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
