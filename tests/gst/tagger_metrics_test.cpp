// SPDX-License-Identifier: LGPL-2.1-or-later
// The statistics of a bcptagger: in `stats`, in its metrics-file, in the debug log.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <future>

#include "tagger_support.hpp"

namespace bcp::test {
namespace {

TEST(BcpTaggerStats, HaveTheAgeOfTheLabelsOfAFrame) {
  Tagger tagger("mode=sync inference-interval=4");
  tagger.caps(rgb_caps());
  for (int i = 0; i < 8; ++i) tagger.push(frame(kRed, static_cast<GstClockTime>(i) * 40 * GST_MSECOND));
  EXPECT_EQ(tagger.stat<int>("scored"), 2);
  EXPECT_EQ(tagger.stat<int>("held"), 6);
  EXPECT_EQ(tagger.stat<int>("age-count"), 8);
  EXPECT_EQ(tagger.stat<double>("age-p99-ms"), 120);
  EXPECT_EQ(tagger.stat<double>("age-mean-ms"), 60);
}

TEST(BcpTaggerStats, HaveTimesRatesAndShownLabels) {
  Tagger tagger("mode=sync");
  tagger.caps(rgb_caps());
  const gst::BufferPtr out = tagger.push(frame(kRed));
  EXPECT_EQ(tagger.stat<std::size_t>("active"), shown(out.get()).size());
  EXPECT_GT(tagger.stat<double>("frames-per-second"), 0);
  EXPECT_GT(tagger.stat<double>("scored-per-second"), 0);
  for (const char* stage : {"preprocess", "inference", "adapt"}) {
    const std::string name = stage;
    EXPECT_EQ(tagger.stat<int>((name + "-count").c_str()), 1) << stage;
    EXPECT_GT(tagger.stat<double>((name + "-p50-ms").c_str()), 0) << stage;
    EXPECT_LE(tagger.stat<double>((name + "-p50-ms").c_str()), tagger.stat<double>((name + "-p99-ms").c_str()));
  }
  EXPECT_EQ(tagger.stat<int>("dropped"), 0);
}

TEST(BcpTaggerMetrics, AreInTheFileFromStartToStop) {
  const Folder folder;
  const std::string path = folder.file("m.prom");
  {
    Tagger tagger("mode=sync source-id=door metrics-file=" + path);
    tagger.caps(rgb_caps());
    EXPECT_TRUE(has_lines(path, "bcp_frames_total{source=\"door\"} 0"));
    tagger.push(frame(kRed));
    EXPECT_TRUE(tagger.faults().empty());
  }
  EXPECT_TRUE(has_lines(path, "bcp_frames_total{source=\"door\"} 1"));
  EXPECT_TRUE(has_lines(path, "bcp_frames_scored_total{source=\"door\"} 1"));
  EXPECT_TRUE(has_lines(
      path,
      "bcp_stream_info{source=\"door\",mode=\"sync\",provider=\"cpu\",precision=\"fp32\",decision=\"softmax\"} 1"));
}

TEST(BcpTaggerMetrics, AreWrittenAtTheCurrentInterval) {
  const Folder folder;
  const std::string path = folder.file("m.prom");
  Tagger tagger("source-id=door metrics-interval=3600 metrics-file=" + path);
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed));
  g_object_set(tagger.element(), "metrics-interval", 1, nullptr);
  tagger.push(frame(kRed, 40 * GST_MSECOND));
  while (!has_lines(path, "bcp_frames_total{source=\"door\"} 2")) g_usleep(5000);
}

TEST(BcpTaggerMetrics, HaveTheElementNameWithoutASourceId) {
  const Folder folder;
  Tagger tagger("metrics-file=" + folder.file("m.prom"));
  EXPECT_TRUE(has_lines(folder.file("m.prom"), "bcp_frames_total{source=\"tagger\"} 0"));
}

TEST(BcpTaggerMetrics, PostOneErrorIfTheyCannotBeWrittenAtStart) {
  const Folder folder;
  const Pipeline p = pipeline("videotestsrc num-buffers=2 ! bcptagger decision=softmax model=" + kBundles +
                              "toy metrics-file=" + folder.file("none/m.prom") + " ! fakesink");
  const std::vector<Message> posted = run(p);
  ASSERT_EQ(posted.size(), 1U);
  EXPECT_EQ(posted[0].type, GST_MESSAGE_ERROR);
  EXPECT_NE(posted[0].text.find("none/m.prom"), std::string::npos) << posted[0].text;
}

TEST(BcpTaggerMetrics, PostOneWarningIfTheyCannotBeWrittenLater) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("inner"));
  Tagger tagger("metrics-interval=1 metrics-file=" + folder.file("inner/m.prom"));
  tagger.caps(rgb_caps());
  std::filesystem::rename(folder.file("inner"), folder.file("away"));
  while (tagger.stat<int>("faults") < 2) g_usleep(5000);
  EXPECT_NE(tagger.push(frame(kRed)), nullptr);
  const std::vector<Message> posted = tagger.faults();
  ASSERT_EQ(posted.size(), 1U);
  EXPECT_EQ(posted[0].type, GST_MESSAGE_WARNING);
}

// Stops the pipeline from the thread that posts the warning, as some applications do.
TEST(BcpTaggerMetrics, AllowASyncHandlerOfTheirWarningToStopThePipeline) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("inner"));
  Pipeline p = pipeline(
      "videotestsrc is-live=true ! video/x-raw,width=32,height=32 ! bcptagger decision=softmax model=" + kBundles +
      "toy metrics-interval=1 metrics-file=" + folder.file("inner/m.prom") + " ! fakesink sync=true");
  std::promise<void> stopped;
  const gst::BusPtr bus(gst_element_get_bus(p.get()));
  struct Handler {
    GstElement* pipeline;
    std::promise<void>& stopped;
    std::atomic<bool> done = false;
  } handler{p.get(), stopped};
  gst_bus_set_sync_handler(
      bus.get(),
      [](GstBus*, GstMessage* message, gpointer data) {
        auto& self = *static_cast<Handler*>(data);
        if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING && !self.done.exchange(true)) {
          gst_element_set_state(self.pipeline, GST_STATE_NULL);
          self.stopped.set_value();
        }
        gst_message_unref(message);
        return GST_BUS_DROP;
      },
      &handler, nullptr);
  gst_element_set_state(p.get(), GST_STATE_PLAYING);
  std::filesystem::rename(folder.file("inner"), folder.file("away"));
  if (stopped.get_future().wait_for(std::chrono::seconds(30)) != std::future_status::ready) {
    std::fputs("stopping the pipeline from inside the warning does not return\n", stderr);
    std::_Exit(1);  // a deadlock: the pipeline cannot be stopped
  }
}

TEST(BcpTaggerMetrics, SurviveFastStateChanges) {
  const Folder folder;
  const std::string part =
      "videotestsrc ! video/x-raw,width=32,height=32 ! bcptagger decision=softmax model=" + kBundles +
      "toy metrics-interval=1 metrics-file=" + folder.file("m.prom") + " ! fakesink sync=true ";
  const Pipeline p = pipeline(part + part + part);
  for (int i = 0; i < 20; ++i) {
    gst_element_set_state(p.get(), i % 3 == 0 ? GST_STATE_PLAYING : GST_STATE_PAUSED);
    gst_element_set_state(p.get(), i % 2 == 0 ? GST_STATE_NULL : GST_STATE_READY);
  }
  const std::string text = contents(folder.file("m.prom"));
  EXPECT_NE(text.find("bcptagger"), std::string::npos) << text;
}

}  // namespace
}  // namespace bcp::test
