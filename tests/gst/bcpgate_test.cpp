// SPDX-License-Identifier: LGPL-2.1-or-later
// bcpgate: when it opens and closes, and what it reports.

#include <atomic>
#include <thread>

#include "bcpgate_support.hpp"

namespace bcp::test {
namespace {

TEST(BcpGate, PassesWhileItsConditionIsTrue) {
  GateHarness g("condition=person send-gaps=false");
  g.push_range(0, 1, 0.9);
  g.push_range(2, 3, 0.1);
  g.push_range(4, 5, 0.9);
  EXPECT_EQ(g.out(), (Items{"0", "1", "!4", "5"}));
}

TEST(BcpGate, PassesWhatItWasGiven) {
  GateHarness g("condition=person");
  gst::BufferPtr buffer = GateHarness::frame(0, person(0.9));
  GstBuffer* const pushed = buffer.get();
  g.push(std::move(buffer));
  const gst::BufferPtr passed(gst_harness_pull(g.h.get()));
  EXPECT_EQ(passed.get(), pushed);
  EXPECT_TRUE(gst_buffer_get_bcp_meta(passed.get()));
}

TEST(BcpGate, ComparesProbabilities) {
  GateHarness g("condition=\"person > 0.7\" send-gaps=false");
  g.push(0, person(0.6));
  g.push(1, person(0.8));
  EXPECT_EQ(g.out(), Items{"!1"});
}

TEST(BcpGate, OpensForAnyLabelByDefault) {
  GateHarness g("send-gaps=false");
  g.push(0, result_of({{"boat", 0.1}}));
  g.push(1, result_of({{"boat", 0.6}}));
  EXPECT_EQ(g.out(), Items{"!1"});
}

TEST(BcpGate, StaysOpenForThePostRoll) {
  GateHarness g("condition=person post-roll=300000000 send-gaps=false");
  g.push(0, person(0.9));
  g.push_range(1, 6, 0.1);
  EXPECT_EQ(g.out(), (Items{"0", "1", "2", "3"}));
  EXPECT_FALSE(g.is_open());
}

TEST(BcpGate, ExtendsThePostRollWhenTheConditionIsTrueAgain) {
  GateHarness g("condition=person post-roll=300000000 send-gaps=false");
  g.push(0, person(0.9));
  g.push_range(1, 2, 0.1);
  g.push(3, person(0.9));
  g.push_range(4, 9, 0.1);
  EXPECT_EQ(g.out(), (Items{"0", "1", "2", "3", "4", "5", "6"}));
  EXPECT_EQ(g.stat("openings"), 1U);
}

TEST(BcpGate, IgnoresResultsOfRegions) {
  GateHarness g("condition=person send-gaps=false");
  gst::BufferPtr buffer = GateHarness::frame(0, person(0.1));
  attach(buffer.get(), result_of({{"person", 0.9}}, 3));
  g.push(std::move(buffer));
  EXPECT_EQ(g.out(), Items{});
}

TEST(BcpGate, TakesTheLikeliestOfSeveralResultsOfAFrame) {
  GateHarness g("condition=\"person and tree > 0.3\" send-gaps=false");
  gst::BufferPtr buffer = GateHarness::frame(0, person(0.9));
  attach(buffer.get(), result_of({{"person", 0.1}, {"tree", 0.4}}));
  g.push(std::move(buffer));
  EXPECT_EQ(g.out(), Items{"0"});
  EXPECT_TRUE(faults(g.bus.get()).empty()) << "both labels are known";
}

TEST(BcpGate, TreatsABufferWithoutAResultAsUnknown) {
  GateHarness g("condition=\"not car\" send-gaps=false");
  g.push(0, nullptr);
  g.push(1, person(0.9));
  g.push(2, nullptr);
  EXPECT_EQ(g.out(), Items{"!1"});
  EXPECT_EQ(g.stat("unlabelled"), 2U);
}

TEST(BcpGate, KeepsThePartsOfAFrameTogether) {
  GateHarness g("condition=person send-gaps=false");
  g.push(0, person(0.9));
  g.push(0, nullptr);
  g.push(1, person(0.1));
  g.push(1, nullptr);
  EXPECT_EQ(g.out(), (Items{"0", "0"}));
}

TEST(BcpGate, TakesAnotherConditionWhilePlaying) {
  GateHarness g("condition=person send-gaps=false");
  g.push(0, person(0.9));
  g_object_set(g.element.get(), "condition", "not person", nullptr);
  const gst::BcpResultPtr held = person(0.9);
  g.push(1, held);
  g_object_set(g.element.get(), "condition", "person", nullptr);
  g.push(2, held);
  EXPECT_EQ(g.out(), (Items{"0", "!2"}));
}

TEST(BcpGate, KeepsItsConditionWhenTheNewOneIsInvalid) {
  GateHarness g("condition=person send-gaps=false");
  g.push(0, person(0.9));
  g_object_set(g.element.get(), "condition", "person and", nullptr);
  g.push_range(1, 2, 0.9);
  EXPECT_EQ(g.out(), (Items{"0", "1", "2"}));
  const auto reported = faults(g.bus.get());
  ASSERT_EQ(reported.size(), 1U) << "one warning for one fault";
  EXPECT_EQ(reported[0].type, GST_MESSAGE_WARNING);
  EXPECT_EQ(reported[0].text,
            "The new condition is invalid, and the old one, person, stays in force: expected a label after \"and\" at "
            "character 11\nperson and\n          ^");
}

TEST(BcpGate, RefusesToStartWithAnInvalidCondition) {
  const Pipeline p = pipeline("videotestsrc num-buffers=3 ! bcpgate condition=\"(person\" ! fakesink");
  const auto reported = run(p);
  ASSERT_EQ(reported.size(), 1U);
  EXPECT_EQ(reported[0].type, GST_MESSAGE_ERROR);
  EXPECT_EQ(reported[0].code, GST_RESOURCE_ERROR_SETTINGS);
  EXPECT_NE(reported[0].text.find("The condition is invalid: expected \"and\", \"or\" or \")\" after \"person\" at "
                                  "character 8"),
            std::string::npos)
      << reported[0].text;
}

TEST(BcpGate, WarnsOnceOfLabelsThatTheResultsDoNotHave) {
  GateHarness g("condition=\"persn or car\" send-gaps=false");
  g.push_range(0, 1, 0.9);
  g.push_range(2, 3, 0.8);
  const auto reported = faults(g.bus.get());
  ASSERT_EQ(reported.size(), 1U);
  EXPECT_EQ(reported[0].text,
            "condition: the condition names \"persn\", which is not one of the 2 labels asked for: did you mean "
            "\"person\"?");
}

TEST(BcpGate, WarnsOnceWhenNoBufferCarriesLabels) {
  GateHarness g("condition=person");
  for (unsigned n = 0; n <= 99; ++n) g.push(n, nullptr);
  EXPECT_TRUE(faults(g.bus.get()).empty());
  for (unsigned n = 100; n <= 120; ++n) g.push(n, nullptr);
  g.push(gst_event_new_eos());
  const auto reported = faults(g.bus.get());
  ASSERT_EQ(reported.size(), 1U);
  EXPECT_EQ(reported[0].type, GST_MESSAGE_WARNING);
  EXPECT_NE(reported[0].text.find("put bcptagger before bcpgate"), std::string::npos);
}

TEST(BcpGate, WarnsAtTheEndOfAShortStreamWithoutLabels) {
  GateHarness g("condition=person");
  g.push(0, nullptr);
  g.push(gst_event_new_eos());
  EXPECT_EQ(faults(g.bus.get()).size(), 1U);
}

TEST(BcpGate, PostsWhenItOpensAndCloses) {
  GateHarness g("condition=\"person or car\" pre-roll=100000000 post-roll=100000000");
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = 0;
  segment.time = 7 * GST_SECOND;
  segment.base = 3 * GST_SECOND;
  g.push(gst_event_new_segment(&segment));
  g.push_range(0, 2, 0.1);
  g.push(3, person(0.75));
  g.push(4, person(0.875));
  g.push_range(5, 6, 0.1);

  const auto opened = element_messages(g.bus.get(), "bcp-gate-opened");
  ASSERT_EQ(opened.size(), 1U);
  const GstStructure* s = gst_message_get_structure(opened[0].get());
  GstClockTime stream = 0, running = 0, first = 0;
  EXPECT_TRUE(gst_structure_get_clock_time(s, "stream-time", &stream));
  EXPECT_TRUE(gst_structure_get_clock_time(s, "running-time", &running));
  EXPECT_TRUE(gst_structure_get_clock_time(s, "first-running-time", &first));
  EXPECT_EQ(stream, 7 * GST_SECOND + 3 * kGateFrame);
  EXPECT_EQ(running, 3 * GST_SECOND + 3 * kGateFrame);
  EXPECT_EQ(first, 3 * GST_SECOND + 2 * kGateFrame);
  EXPECT_STREQ(gst_structure_get_string(s, "source-id"), "door");
  EXPECT_STREQ(gst_structure_get_string(s, "condition"), "person or car");
}

TEST(BcpGate, PostsTheLabelsThatMadeItsConditionTrue) {
  GateHarness g("condition=\"person or tree > 0.3\"");
  g.push(0, result_of({{"person", 0.75}, {"tree", 0.1}}));
  g.push(1, result_of({{"person", 0.875}, {"tree", 0.375}}));
  g.push(2, result_of({{"person", 0.1}, {"tree", 0.1}}));
  std::vector<Items> labels;
  Items reasons;
  GstClockTime duration = 0;
  while (const gst::MessagePtr message{gst_bus_pop_filtered(g.bus.get(), GST_MESSAGE_ELEMENT)}) {
    const GstStructure* s = gst_message_get_structure(message.get());
    const GValue* array = gst_structure_get_value(s, "labels");
    labels.emplace_back();
    for (guint i = 0; i < gst_value_array_get_size(array); ++i) {
      const GstStructure* label = gst_value_get_structure(gst_value_array_get_value(array, i));
      double probability = 0;
      gst_structure_get_double(label, "probability", &probability);
      labels.back().push_back(gst_structure_get_string(label, "name") + (" " + std::to_string(probability)));
    }
    if (const gchar* reason = gst_structure_get_string(s, "reason")) reasons.emplace_back(reason);
    gst_structure_get_clock_time(s, "duration", &duration);
  }
  ASSERT_EQ(labels.size(), 2U);
  EXPECT_EQ(labels[0], Items{"person 0.750000"});
  EXPECT_EQ(labels[1], (Items{"person 0.875000", "tree 0.375000"})) << "all of the time that it was open";
  EXPECT_EQ(reasons, Items{"condition"});
  EXPECT_EQ(duration, 2 * kGateFrame);
}

TEST(BcpGate, NotifiesThatItOpensAndCloses) {
  GateHarness g("condition=person");
  int notified = 0;
  g_signal_connect(g.element.get(), "notify::open",
                   G_CALLBACK(+[](GObject*, GParamSpec*, gpointer data) { ++*static_cast<int*>(data); }), &notified);
  EXPECT_FALSE(g.is_open());
  g.push_range(0, 2, 0.9);
  EXPECT_TRUE(g.is_open());
  EXPECT_EQ(notified, 1);
  g.push(3, person(0.1));
  EXPECT_FALSE(g.is_open());
  EXPECT_EQ(notified, 2);
}

TEST(BcpGate, CountsWhatItDoes) {
  GateHarness g("condition=person pre-roll=200000000");
  g.push_range(0, 4, 0.1);
  EXPECT_EQ(g.stat("held"), 3U);
  EXPECT_EQ(g.stat("held-bytes"), 48U);
  g.push_range(5, 7, 0.9);
  g.push_range(8, 8, 0.1);
  EXPECT_EQ(g.stat("passed"), 5U);
  EXPECT_EQ(g.stat("dropped"), 3U);
  EXPECT_EQ(g.stat("held"), 1U);
  EXPECT_EQ(g.stat("openings"), 1U);
  GstStructure* stats = nullptr;
  g_object_get(g.element.get(), "stats", &stats, nullptr);
  const gst::StructurePtr owner(stats);
  double seconds = 0;
  EXPECT_TRUE(gst_structure_get_double(stats, "seconds-open", &seconds));
  EXPECT_DOUBLE_EQ(seconds, 0.3);
  EXPECT_STREQ(gst_structure_get_string(stats, "condition"), "person");
}

TEST(BcpGate, WorksWithoutTimes) {
  for (const char* properties : {"condition=person", "condition=person pre-roll=3600000000000"}) {
    GateHarness g(properties);
    for (const double probability : {0.1, 0.9, 0.1, 0.9}) {
      EXPECT_EQ(g.push(GateHarness::frame(GST_CLOCK_TIME_NONE, person(probability))), GST_FLOW_OK);
    }
    EXPECT_EQ(g.frames().size(), std::string(properties).find("pre-roll") == std::string::npos ? 2U : 4U);
  }
}

TEST(BcpGate, GoesOnWhenTimesGoBack) {
  GateHarness g("condition=person pre-roll=1000000000 post-roll=500000000 send-gaps=false");
  g.push_range(100, 101, 0.1);
  g.push_range(0, 1, 0.1);  // the source began again
  g.push_range(2, 2, 0.9);
  g.push_range(3, 8, 0.1);
  EXPECT_EQ(g.out(), (Items{"!0", "1", "2", "3", "4", "5", "6", "7"}));
}

TEST(BcpGate, ClosesWhenTimeGoesOnWithoutBuffers) {
  GateHarness g("condition=person post-roll=500000000");
  g.push(0, person(0.9));
  g.push(gst_event_new_gap(3 * kGateFrame, kGateFrame));
  EXPECT_TRUE(g.is_open());
  g.push(gst_event_new_gap(8 * kGateFrame, kGateFrame));
  EXPECT_FALSE(g.is_open());
  EXPECT_EQ(g.out(), (Items{"0", "gap 3-4", "gap 8-9"}));
}

TEST(BcpGate, TakesPropertyChangesWhilePlaying) {
  GateHarness g("condition=person");
  std::atomic<bool> done = false;
  std::thread setter([&] {
    for (unsigned i = 0; !done; ++i) {
      g_object_set(g.element.get(), "condition", i % 2 ? "person" : "car or not any", "pre-roll",
                   guint64{i % 3} * kGateFrame, "post-roll", guint64{i % 5} * kGateFrame, "max-size-buffers", i % 7,
                   "send-gaps", i % 2, nullptr);
      g.is_open();
      g.stat("passed");
    }
  });
  for (unsigned n = 0; n < 500; ++n) g.push(n, person(n % 3 ? 0.9 : 0.1));
  done = true;
  setter.join();
  EXPECT_EQ(g.stat("passed") + g.stat("dropped") + g.stat("held"), 500U);
}

TEST(BcpGate, StartsAndStopsThreeTimes) {
  const Pipeline p = pipeline(
      "videotestsrc num-buffers=20 ! video/x-raw,format=GRAY8,width=16,height=16,framerate=10/1 ! identity name=tag ! "
      "bcpgate name=gate condition=person pre-roll=300000000 ! fakesink name=out");
  on_each_buffer(child(p, "tag").get(),
                 [](GstBuffer* b) { attach(b, person(GST_BUFFER_PTS(b) >= GST_SECOND ? 0.9 : 0.1)); });
  std::vector<gst::BufferPtr> passed;
  collect(child(p, "out").get(), passed);
  for (std::size_t round = 1; round <= 3; ++round) {
    EXPECT_TRUE(run(p).empty());
    EXPECT_EQ(passed.size(), 13 * round);
    EXPECT_EQ(gst_element_set_state(p.get(), GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
    gboolean open = TRUE;
    g_object_get(child(p, "gate").get(), "open", &open, nullptr);
    EXPECT_FALSE(open);
  }
}

}  // namespace
}  // namespace bcp::test
