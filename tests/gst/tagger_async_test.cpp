// SPDX-License-Identifier: LGPL-2.1-or-later
// bcptagger in a live pipeline: frames never wait for the model, and the metadata has the age of the labels.

#include <mutex>
#include <thread>

#include "async_support.hpp"
#include "gate.hpp"

namespace bcp::test {
namespace {

TEST(BcpTaggerMode, IsAsyncInALivePipelineOnly) {
  Tagger live("mode=auto");
  live.caps(rgb_caps());
  live.push(frame(kRed));
  EXPECT_EQ(live.stat<std::string>("mode"), "async");

  for (const auto& [source, mode] : {std::pair("is-live=true", "async"), std::pair("", "sync")}) {
    const auto made = pipeline(std::string("videotestsrc num-buffers=3 ") + source +
                               " ! bcptagger name=tagger model=" + kBundles + "toy ! fakesink");
    for (const auto& message : run(made)) EXPECT_NE(message.type, GST_MESSAGE_ERROR) << message.text;
    GstStructure* stats = nullptr;
    g_object_get(child(made, "tagger").get(), "stats", &stats, nullptr);
    EXPECT_STREQ(gst_structure_get_string(stats, "mode"), mode) << source;
    gst_structure_free(stats);
  }
}

TEST(BcpTaggerAsync, NoFrameWaitsAndLabelsHaveTheirAge) {
  Gate gate;
  Tagger tagger("mode=async");
  tagger.caps(rgb_caps());
  EXPECT_EQ(meta_of(tagger.push(gate.frame(kRed, 0))), nullptr);
  gate.await_reader();
  for (int i = 1; i < 5; ++i) EXPECT_EQ(meta_of(tagger.push(frame(kGreen, at(i)))), nullptr);
  EXPECT_EQ(tagger.stat<int>("frames"), 5);
  gate.open();
  await_scored(tagger, 1);

  const auto fresh = tagger.push(frame(kGreen, at(5)));
  ASSERT_NE(meta_of(fresh), nullptr);
  EXPECT_EQ(best(fresh.get()), "red");
  EXPECT_FALSE(meta_of(fresh)->held);
  EXPECT_EQ(meta_of(fresh)->age, at(5));
  EXPECT_EQ(gst_bcp_result_get_pts(meta_of(fresh)->result), 0u);
  await_scored(tagger, 2);
  const auto next = tagger.push(gate.frame(kGreen, at(6)));
  EXPECT_EQ(best(next.get()), "green");
  EXPECT_EQ(gst_bcp_result_get_pts(meta_of(next)->result), at(5));
  EXPECT_EQ(meta_of(next)->age, kFrame);
  EXPECT_EQ(tagger.stat<int>("dropped"), 0);
}

TEST(BcpTaggerAsync, EosWaitsForTheCurrentFrameWhichIsLearntAndPosted) {
  Gate gate;
  Tagger tagger("mode=async post-messages=results");
  tagger.caps(rgb_caps());
  tagger.push(gate.frame(kRed, 0));
  gate.await_reader();
  std::atomic<bool> opened = false;
  std::thread opener([&] {
    g_usleep(20'000);
    opened = true;
    gate.open();
  });
  tagger.event(gst_event_new_eos());
  EXPECT_TRUE(opened);
  opener.join();
  EXPECT_EQ(tagger.stat<int>("scored"), 1);
  EXPECT_EQ(tagger.stat<double>("samples"), 1);
  EXPECT_EQ(tagger.messages("bcp-result").size(), 1u);
}

TEST(BcpTaggerAsync, AFlushDiscardsTheCurrentFrameUnlearnt) {
  Gate gate;
  Tagger tagger("mode=async preset=paper post-messages=results");
  tagger.caps(rgb_caps());
  tagger.push(gate.frame(kRed, 0));
  gate.await_reader();
  flush(tagger);
  gate.open();
  // Pushed until a frame carries a result: no frame is accepted while the first is being read. A result can be on a
  // frame before `scored` counts it.
  int pushed = 0;
  bool labelled = false;
  while (!labelled && pushed < 30'000) {
    const auto green = tagger.push(frame(kGreen, at(++pushed)));
    labelled = meta_of(green) != nullptr;
    if (labelled) {
      EXPECT_EQ(best(green.get()), "green");
    }
    g_usleep(1000);
  }
  EXPECT_TRUE(labelled);
  for (const auto& message : tagger.messages("bcp-result")) {
    guint64 time = 0;
    EXPECT_TRUE(gst_structure_get_uint64(message.get(), "timestamp", &time));
    EXPECT_GT(time, 0u);
  }
}

TEST(BcpTaggerAsync, AFrameAfterAFlushIsScoredEvenIfTheWorkerWasBusy) {
  Gate gate;
  Tagger tagger("mode=async max-rate=0.01");
  tagger.caps(rgb_caps());
  tagger.push(gate.frame(kRed, 0));
  gate.await_reader();
  flush(tagger);
  for (int i = 1; i < 4; ++i) tagger.push(frame(kGreen, at(i)));
  gate.open();
  for (int i = 4; i < 5000 && tagger.stat<int>("scored") == 0; ++i) {
    tagger.push(frame(kGreen, at(i)));
    g_usleep(1000);
  }
  EXPECT_EQ(tagger.stat<int>("scored"), 1);
}

TEST(BcpTaggerAsync, AFlushEndsTheWaitAtEos) {
  Gate gate;
  Tagger tagger("mode=async");
  tagger.caps(rgb_caps());
  tagger.push(gate.frame(kRed, 0));
  gate.await_reader();
  std::thread flusher([&] {
    g_usleep(20'000);
    tagger.event(gst_event_new_flush_start());
  });
  gst_harness_push_event(tagger.get(), gst_event_new_eos());  // must return while the gate is closed
  flusher.join();
  tagger.event(gst_event_new_flush_stop(TRUE));
  EXPECT_EQ(tagger.stat<int>("scored"), 0);
  gate.open();
}

TEST(BcpTaggerAsync, EveryResultIsNewOnExactlyOneFrame) {
  Tagger tagger("mode=async preset=paper");
  tagger.caps(rgb_caps());
  std::map<GstClockTime, int> fresh;
  int held = 0;
  constexpr int kFrames = 400;
  for (int i = 0; i < kFrames; ++i) {
    const auto out = tagger.push(frame(i % 3 ? kRed : kBlue, at(i)));
    if (i % 5 == 0) g_usleep(1000);
    const GstBcpMeta* meta = meta_of(out);
    if (!meta) continue;
    const GstClockTime scored = gst_bcp_result_get_pts(meta->result);
    EXPECT_EQ(meta->age, at(i) - scored);
    EXPECT_GT(meta->age, 0u);
    meta->held ? ++held : ++fresh[scored];
  }
  for (const auto& [time, count] : fresh) EXPECT_EQ(count, 1) << time;
  tagger.event(gst_event_new_eos());
  const int scored = tagger.stat<int>("scored"), unseen = scored - static_cast<int>(fresh.size());
  EXPECT_GE(unseen, tagger.stat<int>("dropped"));
  EXPECT_LE(unseen, tagger.stat<int>("dropped") + 2);  // one that was not attached yet, and the current one at the end
  EXPECT_EQ(tagger.stat<int>("held"), held);
  EXPECT_EQ(tagger.stat<double>("samples"), scored);
}

TEST(BcpTaggerAsync, LateFramesAreNotOfferedAndAllPass) {
  Tagger tagger("mode=async");
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed, 0));
  await_scored(tagger, 1);
  EXPECT_TRUE(gst_harness_push_upstream_event(
      tagger.get(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1.0, 10 * GST_SECOND, GST_SECOND)));
  for (int i = 1; i < 5; ++i) EXPECT_NE(tagger.push(frame(kRed, at(i))), nullptr);
  EXPECT_EQ(tagger.stat<int>("qos-skipped"), 4);
  EXPECT_EQ(tagger.stat<int>("scored"), 1);
}

TEST(BcpTaggerAsync, MaxRateUsesTheWallClock) {
  Tagger tagger("mode=async max-rate=0.01");
  tagger.caps(rgb_caps());
  for (int i = 0; i < 50; ++i) tagger.push(frame(kRed, at(i) * 1000));  // hours of running time
  tagger.event(gst_event_new_eos());
  EXPECT_EQ(tagger.stat<int>("scored"), 1);
}

TEST(BcpTaggerAsync, AStreamWithAnotherIdShowsNoOldLabels) {
  Tagger tagger("mode=async preset=paper");
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed, 0));
  await_scored(tagger, 1);
  EXPECT_EQ(best(tagger.push(frame(kRed, at(1))).get()), "red");
  tagger.event(gst_event_new_stream_start("another"));
  tagger.caps(rgb_caps());
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  tagger.event(gst_event_new_segment(&segment));
  Gate gate;
  EXPECT_EQ(meta_of(tagger.push(gate.frame(kGreen, 0))), nullptr);
  gate.open();
}

TEST(BcpTaggerAsync, FramesThatCannotBeScoredShowNoOldLabels) {
  Tagger tagger("mode=async");
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed, 0));
  await_scored(tagger, 1);
  EXPECT_EQ(best(tagger.push(frame(kRed, at(1))).get()), "red");
  await_scored(tagger, 2);
  tagger.caps(rgb_caps(8, 8));
  EXPECT_EQ(best(tagger.push(frame(kRed, at(3), 8, 8)).get()), "red");
  int i = 4;
  while (i < 30'000 && meta_of(tagger.push(frame(kRed, at(i), 8, 8)))) ++i, g_usleep(1000);
  for (int more = 1; more < 5; ++more) EXPECT_EQ(meta_of(tagger.push(frame(kRed, at(i + more), 8, 8))), nullptr) << i;
}

TEST(BcpTaggerAsync, ReportsOnceThatFramesCannotBeCopied) {
  Tagger tagger("mode=async");
  tagger.caps(rgb_caps());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(meta_of(tagger.push(Gate::unreadable(at(i)))), nullptr);
  EXPECT_EQ(tagger.stat<int>("faults"), 3);
  const auto posted = tagger.faults();
  ASSERT_EQ(posted.size(), 1u);
  EXPECT_EQ(posted[0].type, GST_MESSAGE_WARNING);
  EXPECT_NE(posted[0].text.find("cannot copy a frame"), std::string::npos) << posted[0].text;
}

TEST(BcpTaggerAsync, ShowsNoOldLabelsWhenItIsEnabledAgain) {
  Tagger tagger("mode=async");
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed, 0));
  await_scored(tagger, 1);
  EXPECT_EQ(best(tagger.push(frame(kRed, at(1))).get()), "red");
  await_scored(tagger, 2);
  g_object_set(tagger.element(), "enabled", FALSE, nullptr);
  EXPECT_EQ(meta_of(tagger.push(frame(kRed, at(2)))), nullptr);
  g_object_set(tagger.element(), "enabled", TRUE, nullptr);
  EXPECT_EQ(meta_of(tagger.push(frame(kGreen, at(1000)))), nullptr);
  await_scored(tagger, 3);
  EXPECT_EQ(best(tagger.push(frame(kGreen, at(1001))).get()), "green");
}

// Also if the message handler is slow with the first event.
TEST(BcpTaggerAsync, ALabelGoesOffAfterItCameOnWhenAnotherStreamBegins) {
  struct Heard {
    std::mutex mutex;
    std::vector<std::string> events;
    std::atomic<bool> hears_on = false;
  } heard;
  Tagger tagger("mode=async post-messages=events");
  const gst::BusPtr bus(gst_element_get_bus(tagger.element()));
  gst_bus_set_sync_handler(bus.get(), nullptr, nullptr, nullptr);
  gst_bus_set_sync_handler(
      bus.get(),
      [](GstBus*, GstMessage* message, gpointer data) {
        const GstStructure* structure = gst_message_get_structure(message);
        if (!structure || !gst_structure_has_name(structure, "bcp-event")) return GST_BUS_PASS;
        auto& to = *static_cast<Heard*>(data);
        const std::string event = gst_structure_get_string(structure, "event");
        if (event == "label-on") {
          to.hears_on = true;
          g_usleep(50'000);
        }
        const std::lock_guard lock(to.mutex);
        to.events.push_back(event);
        return GST_BUS_PASS;
      },
      &heard, nullptr);
  tagger.event(gst_event_new_stream_start("one"));
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed, 0));
  for (int i = 0; i < 30'000 && !heard.hears_on; ++i) g_usleep(1000);
  tagger.event(gst_event_new_stream_start("two"));
  gst_bus_set_sync_handler(bus.get(), nullptr, nullptr, nullptr);
  const std::lock_guard lock(heard.mutex);
  EXPECT_EQ(heard.events, (std::vector<std::string>{"label-on", "label-off"}));
}

TEST(BcpTaggerAsync, StopsWhileAFrameIsBeingScored) {
  auto gate = std::make_unique<Gate>();
  std::thread opener;
  {
    Tagger tagger("mode=async");
    tagger.caps(rgb_caps());
    tagger.push(gate->frame(kRed, 0));
    gate->await_reader();
    opener = std::thread([&gate] {
      g_usleep(20'000);
      gate->open();
    });
  }
  opener.join();
}

TEST(BcpTaggerAsync, LabelsChangeWhileFramesAreScored) {
  Tagger tagger("mode=async labels=red\\,green", "toy-words");
  tagger.caps(rgb_caps());
  for (int round = 0; round < 20; ++round) {
    tagger.change("labels", round % 2 ? "red,green" : "blue,yellow,red", kRed, at(round));
  }
  for (int i = 0; i < 5000; ++i) {
    const auto out = tagger.push(frame(kRed, at(100 + i)));
    if (meta_of(out) && gst_bcp_labels_get_size(gst_bcp_result_get_labels(meta_of(out)->result)) == 2) return;
    g_usleep(1000);
  }
  FAIL() << "the last labels never showed";
}

}  // namespace
}  // namespace bcp::test
