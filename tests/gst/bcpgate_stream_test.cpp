// SPDX-License-Identifier: LGPL-2.1-or-later
// What leaves a bcpgate and in which order: pre-roll, key frames, gaps, caps, flushes, queries.

#include "bcpgate_support.hpp"
#include "gate/hold.hpp"
#include "gate/timeline.hpp"

namespace bcp::test {
namespace {

TEST(BcpGateStream, PassesThePreRollFirst) {
  GateHarness g("condition=person pre-roll=300000000 send-gaps=false");
  g.push_range(0, 9, 0.1);
  EXPECT_EQ(g.out(), Items{});
  g.push_range(10, 11, 0.9);
  EXPECT_EQ(g.out(), (Items{"!7", "8", "9", "10", "11"}));
}

TEST(BcpGateStream, PassesNoBufferTwice) {
  GateHarness g("condition=person pre-roll=1000000000 send-gaps=false");
  g.push_range(0, 1, 0.9);
  g.push_range(2, 3, 0.1);
  g.push_range(4, 4, 0.9);
  EXPECT_EQ(g.out(), (Items{"0", "1", "2", "3", "4"})) << "nothing was lost, so there is no DISCONT";
}

TEST(BcpGateStream, TakesANewPreRollWhilePlaying) {
  GateHarness g("condition=person pre-roll=500000000 send-gaps=false");
  g.push_range(0, 9, 0.1);
  g_object_set(g.element.get(), "pre-roll", guint64{0}, nullptr);
  g.push_range(10, 10, 0.1);
  EXPECT_EQ(g.stat("held"), 0U);
  g.push_range(11, 11, 0.9);
  EXPECT_EQ(g.out(), Items{"!11"});
}

TEST(BcpGateStream, HoldsNoRawFrameWithoutAPreRoll) {
  GateHarness g("condition=person");
  gst::BufferPtr buffer = GateHarness::frame(0, person(0.1));
  GstBuffer* const watched = gst_buffer_ref(buffer.get());
  g.push(std::move(buffer));
  EXPECT_EQ(GST_MINI_OBJECT_REFCOUNT_VALUE(watched), 1);
  gst_buffer_unref(watched);
}

TEST(BcpGateStream, AnnouncesWhatItDropsAsGaps) {
  GateHarness g("condition=person");
  g.push_range(0, 0, 0.9);
  g.push_range(1, 3, 0.1);
  g.push_range(4, 4, 0.9);
  EXPECT_EQ(g.out(), (Items{"0", "gap 1-2", "gap 2-3", "gap 3-4", "!4"}));
}

TEST(BcpGateStream, SendsAtMostTenGapsASecond) {
  GateHarness g("condition=person");
  for (unsigned n = 0; n < 100; ++n) g.push(GateHarness::frame(n * GST_SECOND / 100, person(0.1)));
  EXPECT_LE(g.out().size(), 11U);
}

TEST(BcpGateStream, LeavesOutGapsWhenAsked) {
  GateHarness g("condition=person send-gaps=false");
  g.push_range(0, 9, 0.1);
  g.push(gst_event_new_eos());
  EXPECT_EQ(g.out(), Items{"eos"});
}

TEST(BcpGateStream, SendsNoGapForWhatMayStillPass) {
  GateHarness g("condition=person pre-roll=300000000");
  g.push_range(0, 5, 0.1);
  EXPECT_EQ(g.out(), (Items{"gap 0-1", "gap 1-2"}));
  g.push_range(6, 6, 0.9);
  EXPECT_EQ(g.out(), (Items{"gap 2-3", "!3", "4", "5", "6"}));
}

TEST(BcpGateStream, AnnouncesTheLastGapBeforeTheEnd) {
  GateHarness g("condition=person pre-roll=1000000000");
  g.push_range(0, 3, 0.1);
  g.push(gst_event_new_eos());
  EXPECT_EQ(g.out(), (Items{"gap 0-4", "eos"}));
}

TEST(BcpGateStream, ClosesAtEos) {
  GateHarness g("condition=person");
  g.push_range(0, 0, 0.9);
  g.push(gst_event_new_eos());
  EXPECT_EQ(g.out(), (Items{"0", "eos"}));
  EXPECT_FALSE(g.is_open());
  const auto closed = element_messages(g.bus.get(), "bcp-gate-closed");
  ASSERT_EQ(closed.size(), 1U);
  EXPECT_STREQ(gst_structure_get_string(gst_message_get_structure(closed[0].get()), "reason"), "eos");
}

TEST(BcpGateStream, KeepsCapsInOrderWithThePreRoll) {
  GateHarness g("condition=person pre-roll=1000000000 send-gaps=false");
  g.push_range(0, 1, 0.1);
  gst_harness_set_src_caps_str(g.h.get(), "video/x-raw,format=GRAY8,width=8,height=8,framerate=10/1");
  g.push_range(2, 2, 0.1);
  EXPECT_EQ(g.out(), Items{});
  g.push_range(3, 3, 0.9);
  EXPECT_EQ(g.out(), (Items{"0", "1", "caps", "segment", "2", "3"}));
}

TEST(BcpGateStream, PassesCapsWhenTheBuffersBeforeThemAreTooOld) {
  GateHarness g("condition=person pre-roll=200000000 send-gaps=false");
  g.push_range(0, 1, 0.1);
  gst_harness_set_src_caps_str(g.h.get(), "video/x-raw,format=GRAY8,width=8,height=8,framerate=10/1");
  g.push_range(2, 5, 0.1);
  EXPECT_EQ(g.out(), (Items{"caps", "segment"}));
  g.push_range(6, 6, 0.9);
  EXPECT_EQ(g.out(), (Items{"!4", "5", "6"}));
}

TEST(BcpGateStream, KeepsSegmentsInOrderWithThePreRoll) {
  GateHarness g("condition=person pre-roll=1000000000");
  g.push_range(0, 1, 0.1);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = segment.time = 50 * kGateFrame;
  segment.base = 2 * kGateFrame;
  g.push(gst_event_new_segment(&segment));
  g.push_range(50, 50, 0.1);
  g.push_range(51, 51, 0.9);
  EXPECT_EQ(g.out(), (Items{"0", "1", "segment", "50", "51"}));
}

TEST(BcpGateStream, PassesSegmentDoneAtOnce) {
  GateHarness g("condition=person pre-roll=1000000000 send-gaps=false");
  g.push_range(0, 1, 0.1);
  g.push(gst_event_new_segment_done(GST_FORMAT_TIME, GST_SECOND));
  EXPECT_EQ(g.out(), Items{"segment-done"});
}

TEST(BcpGateStream, ForgetsWhatItHoldsWhenFlushed) {
  GateHarness g("condition=person pre-roll=1000000000 send-gaps=false");
  g.push_range(0, 1, 0.1);
  const char* other = "video/x-raw,format=GRAY8,width=8,height=8,framerate=10/1";
  gst_harness_set_src_caps_str(g.h.get(), other);
  g.push_range(2, 2, 0.1);
  g.push(gst_event_new_flush_start());
  g.push(gst_event_new_flush_stop(TRUE));
  EXPECT_EQ(g.stat("held"), 0U);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  g.push(gst_event_new_segment(&segment));
  g.push_range(0, 1, 0.9);
  EXPECT_EQ(g.frames(), (Items{"0", "1"}));
  const gst::PadPtr src(gst_element_get_static_pad(g.element.get(), "src"));
  const gst::CapsPtr caps(gst_pad_get_current_caps(src.get())), wanted(gst_caps_from_string(other));
  EXPECT_TRUE(gst_caps_is_equal(caps.get(), wanted.get())) << "upstream does not send them again";
}

TEST(BcpGateStream, ClosesWhenFlushed) {
  GateHarness g("condition=person post-roll=5000000000");
  g.push_range(0, 0, 0.9);
  g.push(gst_event_new_flush_start());
  g.push(gst_event_new_flush_stop(TRUE));
  EXPECT_FALSE(g.is_open());
}

// Key frames are those whose number is a multiple of five.
TEST(BcpGateStream, BeginsAtTheLastKeyFrameBeforeThePreRoll) {
  GateHarness g("condition=person pre-roll=300000000 send-gaps=false", kGateEncoded);
  g.push_range(0, 16, 0.1, 5);
  g.push_range(17, 18, 0.9, 5);
  EXPECT_EQ(g.out(), (Items{"!10", "11", "12", "13", "14", "15", "16", "17", "18"}));
}

TEST(BcpGateStream, BeginsAtAKeyFrameWithoutAPreRollToo) {
  GateHarness g("condition=person send-gaps=false", kGateEncoded);
  g.push_range(0, 7, 0.1, 5);
  g.push_range(8, 8, 0.9, 5);
  EXPECT_EQ(g.out(), (Items{"!5", "6", "7", "8"}));
}

TEST(BcpGateStream, GoesOnInTheMiddleOfAGroupThatItHasPassed) {
  GateHarness g("condition=person send-gaps=false", kGateEncoded);
  g.push_range(0, 11, 0.9, 10);
  g.push_range(12, 14, 0.1, 10);
  g.push_range(15, 15, 0.9, 10);
  g.push_range(16, 21, 0.1, 10);
  g.push_range(22, 22, 0.9, 10);
  const Items all = g.out();
  ASSERT_EQ(all.size(), 16U + 3U);
  EXPECT_EQ(Items(all.begin() + 12, all.end()), (Items{"12", "13", "14", "15", "!20", "21", "22"}));
}

TEST(BcpGateStream, AsksForAKeyFrameWhenItHoldsNone) {
  GateHarness g("condition=person max-size-buffers=3 send-gaps=false", kGateEncoded);
  g.push_range(0, 5, 0.1, 100);  // the key frame does not fit
  EXPECT_EQ(g.stat("held"), 0U);
  g.push_range(6, 7, 0.9, 100);
  EXPECT_TRUE(g.is_open());
  EXPECT_EQ(g.out(), Items{}) << "nothing that could be decoded";
  bool asked = false;
  while (const gst::EventPtr event{gst_harness_try_pull_upstream_event(g.h.get())}) {
    asked |= gst_event_has_name(event.get(), "GstForceKeyUnit");
  }
  EXPECT_TRUE(asked);
  g.push(8, person(0.9));  // a key frame
  g.push(9, person(0.9), true);
  EXPECT_EQ(g.out(), (Items{"!8", "9"}));
}

TEST(BcpGateStream, OrdersFramesByTheirDecodingTime) {
  GateHarness g("condition=person pre-roll=100000000 post-roll=200000000 send-gaps=false", kGateEncoded);
  // A key frame, then each third frame before the two that are shown before it.
  const unsigned pts[] = {2, 5, 3, 4, 8, 6, 7};
  for (unsigned n = 0; n < std::size(pts); ++n) {
    gst::BufferPtr buffer = GateHarness::frame(pts[n] * kGateFrame, person(n == 1 ? 0.9 : 0.1), n != 0);
    GST_BUFFER_DTS(buffer.get()) = n * kGateFrame;
    g.push(std::move(buffer));
  }
  EXPECT_EQ(g.out(), (Items{"2", "5", "3", "4"})) << "two tenths after frame 5 was decoded";
}

TEST(BcpGateStream, PassesHeadersInTheirTurn) {
  GateHarness g("condition=person send-gaps=false", "video/x-theora");
  gst::BufferPtr header(gst_buffer_new_allocate(nullptr, 4, nullptr));
  GST_BUFFER_FLAG_SET(header.get(), GST_BUFFER_FLAG_HEADER);
  g.push(std::move(header));
  EXPECT_EQ(g.out(), Items{"?"});
  EXPECT_EQ(g.stat("passed") + g.stat("dropped"), 0U);
}

TEST(BcpGateStream, LimitsWhatItHolds) {
  for (const char* limit : {"max-size-bytes=80", "max-size-buffers=5"}) {
    GateHarness g(std::string("condition=person pre-roll=60000000000 send-gaps=false ") + limit);
    g.push_range(0, 29, 0.1);
    EXPECT_EQ(g.stat("held"), 5U) << limit;
    const auto reported = faults(g.bus.get());
    ASSERT_EQ(reported.size(), 1U) << limit;
    EXPECT_NE(reported[0].text.find("The pre-roll is shorter than asked for"), std::string::npos);
    g.push_range(30, 30, 0.9);
    EXPECT_EQ(g.out(), (Items{"!25", "26", "27", "28", "29", "30"})) << limit;
  }
}

TEST(BcpGateStream, LeavesASmallPoolItsBuffers) {
  GateHarness g("condition=person pre-roll=60000000000 send-gaps=false");
  const gst::BufferPoolPtr pool(gst_buffer_pool_new());
  GstStructure* config = gst_buffer_pool_get_config(pool.get());
  const gst::CapsPtr caps(gst_caps_from_string(kGateRaw));
  gst_buffer_pool_config_set_params(config, caps.get(), 16, 2, 2);
  ASSERT_TRUE(gst_buffer_pool_set_config(pool.get(), config));
  ASSERT_TRUE(gst_buffer_pool_set_active(pool.get(), TRUE));
  GstBufferPoolAcquireParams at_once{};
  at_once.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT;
  for (unsigned n = 0; n < 10; ++n) {
    GstBuffer* buffer = nullptr;
    ASSERT_EQ(gst_buffer_pool_acquire_buffer(pool.get(), &buffer, &at_once), GST_FLOW_OK) << n;
    GST_BUFFER_PTS(buffer) = n * kGateFrame;
    gst_buffer_memset(buffer, 0, static_cast<guint8>(n), 16);
    attach(buffer, person(n == 9 ? 0.9 : 0.1));
    g.push(gst::BufferPtr(buffer));
  }
  for (unsigned n = 0; n < 10; ++n) {
    const gst::BufferPtr passed(gst_harness_pull(g.h.get()));
    guint8 pixel = 0;
    gst_buffer_extract(passed.get(), 0, &pixel, 1);
    EXPECT_EQ(pixel, n) << "a copy has the pixels of its own frame";
    EXPECT_TRUE(gst_buffer_get_bcp_meta(passed.get()));
  }
  gst_buffer_pool_set_active(pool.get(), FALSE);
}

TEST(BcpGateStream, TakesListsOfBuffers) {
  GateHarness g("condition=person send-gaps=false");
  GstBufferList* list = gst_buffer_list_new();
  for (unsigned n = 0; n < 4; ++n) {
    gst_buffer_list_add(list, GateHarness::frame(n * kGateFrame, person(n % 2 ? 0.9 : 0.1)).release());
  }
  const gst::PadPtr sink(gst_element_get_static_pad(g.element.get(), "sink"));
  const gst::PadPtr peer(gst_pad_get_peer(sink.get()));
  EXPECT_EQ(gst_pad_push_list(peer.get(), list), GST_FLOW_OK);
  EXPECT_EQ(g.out(), (Items{"!1", "!3"}));
}

TEST(BcpGateStream, ReturnsWhatDownstreamReturns) {
  GateHarness g("condition=person pre-roll=1000000000 send-gaps=false");
  g.push_range(0, 3, 0.1);
  gst_pad_set_chain_function(
      g.h->sinkpad, +[](GstPad*, GstObject*, GstBuffer* buffer) {
        gst_buffer_unref(buffer);
        return GST_FLOW_EOS;
      });
  EXPECT_EQ(g.push(4, person(0.9)), GST_FLOW_EOS);
  EXPECT_EQ(g.out(), Items{"0"});
  EXPECT_EQ(g.stat("held"), 0U);
}

TEST(BcpGateStream, PassesQueriesAndQos) {
  GateHarness g("condition=person pre-roll=1000000000");
  gst_harness_set_upstream_latency(g.h.get(), 40 * GST_MSECOND);
  EXPECT_EQ(gst_harness_query_latency(g.h.get()), 40 * GST_MSECOND) << "it adds none";

  gst_harness_add_propose_allocation_meta(g.h.get(), GST_BCP_META_API_TYPE, nullptr);
  const gst::CapsPtr caps(gst_caps_from_string(kGateRaw));
  const gst::QueryPtr query(gst_query_new_allocation(caps.get(), FALSE));
  ASSERT_TRUE(gst_pad_peer_query(g.h->srcpad, query.get()));
  EXPECT_TRUE(gst_query_find_allocation_meta(query.get(), GST_BCP_META_API_TYPE, nullptr));

  gst_harness_push_upstream_event(g.h.get(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, GST_SECOND, 0));
  bool passed = false;
  while (const gst::EventPtr event{gst_harness_try_pull_upstream_event(g.h.get())}) {
    passed |= GST_EVENT_TYPE(event.get()) == GST_EVENT_QOS;
  }
  EXPECT_TRUE(passed);
}

TEST(BcpGateStream, AnswersForNoCapsThatDownstreamDoesNotKnow) {
  GateHarness g("condition=person pre-roll=1000000000");
  g.push_range(0, 0, 0.1);
  gst_harness_set_src_caps_str(g.h.get(), "video/x-raw,format=GRAY8,width=8,height=8,framerate=10/1");
  const gst::CapsPtr caps(gst_pad_get_current_caps(g.h->srcpad));
  const gst::QueryPtr query(gst_query_new_allocation(caps.get(), FALSE));
  EXPECT_FALSE(gst_pad_peer_query(g.h->srcpad, query.get()));
}

TEST(GateTimeline, DoesNotGoBackForFramesThatAreShownEarlier) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gate::Timeline timeline;
  const auto at = [&](GstClockTime pts) {
    const auto moment = timeline.at(GateHarness::frame(pts, nullptr).get(), segment, 0);
    return std::pair(moment.time, moment.jumped);
  };
  EXPECT_EQ(at(5 * GST_SECOND), std::pair(gint64{5 * GST_SECOND}, false));
  EXPECT_EQ(at(4 * GST_SECOND), std::pair(gint64{5 * GST_SECOND}, false));
  EXPECT_EQ(at(GST_CLOCK_TIME_NONE), std::pair(gint64{5 * GST_SECOND}, false));
  EXPECT_EQ(at(2 * GST_SECOND), std::pair(gint64{2 * GST_SECOND}, true));
}

TEST(GateTimeline, KnowsTimesBeforeTheSegment) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = 3600 * GST_SECOND;
  gate::Timeline timeline;
  EXPECT_EQ(timeline.at(GateHarness::frame(3599 * GST_SECOND, nullptr).get(), segment, 0).time, -gint64{GST_SECOND});
}

TEST(GateTimeline, CountsByTheWallClockWithoutTimes) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_BYTES);
  gate::Timeline timeline;
  const gst::BufferPtr buffer = GateHarness::frame(GST_CLOCK_TIME_NONE, nullptr);
  EXPECT_EQ(timeline.at(buffer.get(), segment, 100).time, 100);
  EXPECT_EQ(timeline.at(buffer.get(), segment, 300).time, 300);
  gst_segment_init(&segment, GST_FORMAT_TIME);
  EXPECT_TRUE(timeline.at(GateHarness::frame(0, nullptr).get(), segment, 400).jumped);
}

TEST(GateHold, LosesNoEvent) {
  gate::Hold hold;
  const auto event = [&] { hold.add_undroppable(gate::MiniObjectPtr(GST_MINI_OBJECT(gst_event_new_reconfigure()))); };
  const auto buffer = [&](gint64 time, bool delta) { hold.add(GateHarness::frame(0, nullptr, delta), time); };
  buffer(0, false);
  event();
  buffer(1, true);
  buffer(2, false);
  event();
  buffer(3, true);
  EXPECT_TRUE(hold.prune(1).empty());
  EXPECT_EQ(hold.prune(3).size(), 3U) << "a group, and the event in it";
  EXPECT_EQ(hold.shrink({.bytes = 1}).size(), 3U) << "one group is all there is";
  EXPECT_TRUE(hold.empty());
  EXPECT_EQ(hold.bytes(), 0U);
}

}  // namespace
}  // namespace bcp::test
