// SPDX-License-Identifier: LGPL-2.1-or-later
//
// bcptagger in streams: pacing, caps, seeks, flushes, gaps, states.

#include <atomic>
#include <thread>

#include "tagger_support.hpp"

namespace bcp::test {
namespace {

constexpr GstClockTime kFrame = 40 * GST_MSECOND;

TEST(BcpTagger, NamesWhatItSees) {
  Tagger tagger;
  tagger.caps(rgb_caps());
  EXPECT_EQ(best(tagger.push(frame(kRed)).get()), "red");
  EXPECT_EQ(best(tagger.push(frame(kGreen, kFrame)).get()), "green");
  EXPECT_EQ(best(tagger.push(frame(kBlue, 2 * kFrame)).get()), "blue");
  EXPECT_EQ(tagger.stat<int>("scored"), 3);
  EXPECT_TRUE(tagger.faults().empty());
}

TEST(BcpTagger, PutsAllScoresInTheMeta) {
  Tagger tagger("preset=paper source-id=door attach-embedding=true");
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed));
  const auto out = tagger.push(frame(kYellow, kFrame));
  const GstBcpMeta* meta = gst_buffer_get_bcp_meta(out.get());
  ASSERT_TRUE(meta);
  EXPECT_FALSE(meta->held);
  EXPECT_EQ(meta->age, 0u);
  const GstBcpResult* result = meta->result;
  EXPECT_EQ(gst_bcp_result_get_pts(result), kFrame);
  EXPECT_STREQ(gst_bcp_result_get_source_id(result), "door");
  EXPECT_EQ(gst_bcp_result_get_region_id(result), -1);
  EXPECT_EQ(gst_bcp_result_get_samples(result), 1);
  const GstBcpLabels* labels = gst_bcp_result_get_labels(result);
  EXPECT_EQ(gst_bcp_result_get_anchor(result), gst_bcp_labels_find(labels, "yellow"));
  double probability = 0, zero_shot = 0;
  for (guint k = 0; k < gst_bcp_labels_get_size(labels); ++k) {
    EXPECT_DOUBLE_EQ(gst_bcp_result_get_logit(result, k),
                     gst_bcp_result_get_zero_shot(result, k) + gst_bcp_result_get_correction(result, k));
    probability += gst_bcp_result_get_probability(result, k);
    zero_shot += gst_bcp_result_get_zero_shot_softmax(result, k);
  }
  EXPECT_NEAR(probability, 1, 1e-9);
  EXPECT_NEAR(zero_shot, 1, 1e-9);
  guint size = 0;
  const gfloat* embedding = gst_bcp_result_get_embedding(result, &size);
  ASSERT_EQ(size, 8u);
  double squares = 0;
  for (guint i = 0; i < size; ++i) squares += embedding[i] * embedding[i];
  EXPECT_NEAR(squares, 1, 1e-5);
}

TEST(BcpTagger, HoldsTheLastResultBetweenScoredFrames) {
  Tagger tagger("inference-interval=3");
  tagger.caps(rgb_caps());
  const Colour colours[] = {kRed, kGreen, kGreen, kBlue, kGreen, kGreen};
  const char* expected[] = {"red", "red", "red", "blue", "blue", "blue"};
  int fresh = 0;
  for (guint i = 0; i < 6; ++i) {
    const auto out = tagger.push(frame(colours[i], i * kFrame));
    EXPECT_EQ(best(out.get()), expected[i]);
    const GstBcpMeta* meta = gst_buffer_get_bcp_meta(out.get());
    fresh += !meta->held;
    EXPECT_EQ(meta->age, i % 3 * kFrame);
  }
  EXPECT_EQ(fresh, 2);
  EXPECT_EQ(tagger.stat<int>("frames"), 6);
  EXPECT_EQ(tagger.stat<int>("held"), 4);
}

TEST(BcpTagger, LimitsTheRateInStreamTime) {
  Tagger tagger("max-rate=5");
  tagger.caps(rgb_caps());
  for (guint i = 0; i < 50; ++i) tagger.push(frame(kRed, i * kFrame));
  EXPECT_EQ(tagger.stat<int>("scored"), 10);
}

TEST(BcpTagger, ScoresSlowAndVariableFrameRates) {
  Tagger tagger("max-rate=2");
  tagger.caps("video/x-raw,format=RGB,width=64,height=48,framerate=0/1");
  GstClockTime pts = 0;
  for (const guint gap : {1000u, 62u, 62u, 900u, 2000u, 16u, 1000u}) {
    EXPECT_EQ(best(tagger.push(frame(kRed, pts)).get()), "red");
    pts += gap * GST_MSECOND;
  }
  EXPECT_EQ(tagger.stat<int>("scored"), 4);
}

TEST(BcpTagger, ScoresFramesWithoutTimestampsAndTimestampsThatGoBack) {
  Tagger tagger("max-rate=1000");
  tagger.caps(rgb_caps());
  EXPECT_EQ(best(tagger.push(frame(kRed, GST_CLOCK_TIME_NONE)).get()), "red");
  EXPECT_EQ(best(tagger.push(frame(kGreen, 10 * GST_SECOND)).get()), "green");
  EXPECT_EQ(best(tagger.push(frame(kBlue, GST_SECOND)).get()), "blue");
  const auto out = tagger.push(frame(kRed, GST_CLOCK_TIME_NONE));
  ASSERT_TRUE(gst_buffer_get_bcp_meta(out.get()));
  EXPECT_TRUE(tagger.faults().empty());
}

TEST(BcpTagger, FollowsCapsThatChangeInMidStream) {
  Tagger tagger("inference-interval=100");
  tagger.caps(rgb_caps(64, 48));
  EXPECT_EQ(best(tagger.push(frame(kRed)).get()), "red");
  tagger.caps(rgb_caps(33, 97));
  EXPECT_EQ(best(tagger.push(frame(kGreen, kFrame, 33, 97)).get()), "green");  // the first of new caps is always scored
  tagger.caps(rgb_caps(320, 18));
  EXPECT_EQ(best(tagger.push(frame(kBlue, 2 * kFrame, 320, 18)).get()), "blue");
}

TEST(BcpTagger, ScoresTheFirstFrameAfterAFlushAndKeepsWhatItLearnt) {
  Tagger tagger("preset=paper inference-interval=100");
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed));
  tagger.event(gst_event_new_flush_start());
  tagger.event(gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  tagger.event(gst_event_new_segment(&segment));
  const auto out = tagger.push(frame(kGreen));
  EXPECT_EQ(best(out.get()), "green");
  EXPECT_EQ(gst_bcp_result_get_samples(gst_buffer_get_bcp_meta(out.get())->result), 1);
}

TEST(BcpTagger, ClearsItsStateForANewStream) {
  Tagger tagger("preset=paper");
  tagger.caps(rgb_caps());
  tagger.event(gst_event_new_stream_start("one"));
  tagger.push(frame(kRed));
  tagger.event(gst_event_new_stream_start("one"));
  tagger.push(frame(kRed));
  EXPECT_EQ(tagger.stat<double>("samples"), 2);
  tagger.event(gst_event_new_stream_start("two"));
  tagger.push(frame(kRed));
  EXPECT_EQ(tagger.stat<double>("samples"), 1);
}

TEST(BcpTagger, DoesNotScoreGapsAndKeepsTheirFlag) {
  Tagger tagger;
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed));
  auto gap = frame(kBlue, kFrame);
  GST_BUFFER_FLAG_SET(gap.get(), GST_BUFFER_FLAG_GAP);
  const auto out = tagger.push(std::move(gap));
  EXPECT_EQ(best(out.get()), "red");
  EXPECT_TRUE(gst_buffer_get_bcp_meta(out.get())->held);
  EXPECT_TRUE(GST_BUFFER_FLAG_IS_SET(out.get(), GST_BUFFER_FLAG_GAP));
  tagger.event(gst_event_new_gap(2 * kFrame, kFrame));
}

TEST(BcpTagger, SkipsInferenceButNoVideoWhenThePipelineIsLate) {
  for (const char* properties : {"", "qos=true"}) {
    Tagger tagger(properties);
    tagger.caps(rgb_caps());
    tagger.push(frame(kRed));
    EXPECT_TRUE(gst_harness_push_upstream_event(
        tagger.get(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2, static_cast<GstClockTimeDiff>(2 * kFrame), kFrame)));
    EXPECT_EQ(best(tagger.push(frame(kGreen, 2 * kFrame)).get()), "red");
    EXPECT_EQ(best(tagger.push(frame(kGreen, 3 * kFrame)).get()), "red");
    EXPECT_EQ(best(tagger.push(frame(kGreen, 4 * kFrame)).get()), "green");
    EXPECT_EQ(tagger.stat<int>("qos-skipped"), 2);
  }
}

TEST(BcpTagger, PassesFramesUnchangedWhenDisabled) {
  Tagger tagger("enabled=false");
  tagger.caps(rgb_caps());
  auto in = frame(kRed);
  const GstBuffer* same = in.get();
  auto out = tagger.push(std::move(in));
  EXPECT_EQ(out.get(), same);
  EXPECT_FALSE(gst_buffer_get_bcp_meta(out.get()));
  g_object_set(tagger.element(), "enabled", TRUE, "inference-interval", 50u, nullptr);
  EXPECT_EQ(best(tagger.push(frame(kGreen, kFrame)).get()), "green");
  g_object_set(tagger.element(), "enabled", FALSE, nullptr);
  EXPECT_FALSE(gst_buffer_get_bcp_meta(tagger.push(frame(kGreen, 2 * kFrame)).get()));
  g_object_set(tagger.element(), "enabled", TRUE, nullptr);
  EXPECT_EQ(best(tagger.push(frame(kBlue, 3 * kFrame)).get()), "blue");  // not held: the element was disabled
}

TEST(BcpTagger, ShowsNoOldLabelsOnFramesItCannotScoreOrAfterASeek) {
  Tagger tagger("inference-interval=2");
  tagger.caps(rgb_caps());
  EXPECT_EQ(best(tagger.push(frame(kRed)).get()), "red");
  tagger.caps(rgb_caps(8, 8));
  for (GstClockTime i = 1; i < 5; ++i) EXPECT_EQ(best(tagger.push(frame(kRed, i * kFrame, 8, 8)).get()), "") << i;

  tagger.caps(rgb_caps());
  EXPECT_EQ(best(tagger.push(frame(kRed)).get()), "red");
  tagger.event(gst_event_new_flush_start());
  tagger.event(gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  tagger.event(gst_event_new_segment(&segment));
  auto gap = frame(kRed);
  GST_BUFFER_FLAG_SET(gap.get(), GST_BUFFER_FLAG_GAP);
  EXPECT_EQ(best(tagger.push(std::move(gap)).get()), "");
}

TEST(BcpTagger, StartsAndStopsThreeTimes) {
  const auto p = pipeline("videotestsrc num-buffers=5 ! bcptagger name=t decision=softmax model=" + kBundles +
                          "toy ! fakesink name=sink");
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(run(p).size(), 1u);  // which provider was chosen
    GstStructure* stats = nullptr;
    g_object_get(child(p, "t").get(), "stats", &stats, nullptr);
    guint64 scored = 0;
    gst_structure_get_uint64(stats, "scored", &scored);
    gst_structure_free(stats);
    EXPECT_EQ(scored, 5u);
    gst_element_set_state(p.get(), GST_STATE_NULL);
  }
}

TEST(BcpTagger, PrerollsInPaused) {
  const auto p = pipeline("videotestsrc pattern=red ! bcptagger decision=softmax model=" + kBundles +
                          "toy ! fakesink name=sink enable-last-sample=true");
  gst_element_set_state(p.get(), GST_STATE_PAUSED);
  ASSERT_EQ(gst_element_get_state(p.get(), nullptr, nullptr, 10 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  GstSample* last = nullptr;
  g_object_get(child(p, "sink").get(), "last-sample", &last, nullptr);
  const gst::SamplePtr sample(last);
  ASSERT_TRUE(sample);
  EXPECT_EQ(best(gst_sample_get_buffer(sample.get())), "red");
}

TEST(BcpTagger, SeeksInAFile) {
  const auto p = pipeline("filesrc location=" BCP_TEST_DATA
                          "/clips/mdn_friday.mp4 ! decodebin ! bcptagger name=t inference-interval=1000 "
                          "! fakesink name=sink");
  std::vector<gst::BufferPtr> buffers;
  gst_element_set_state(p.get(), GST_STATE_PAUSED);
  ASSERT_EQ(gst_element_get_state(p.get(), nullptr, nullptr, 20 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  for (const gint64 to : {4 * GST_SECOND, 1 * GST_SECOND}) {
    ASSERT_TRUE(gst_element_seek_simple(p.get(), GST_FORMAT_TIME,
                                        static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE), to));
    ASSERT_EQ(gst_element_get_state(p.get(), nullptr, nullptr, 20 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  }
  GstStructure* stats = nullptr;
  g_object_get(child(p, "t").get(), "stats", &stats, nullptr);
  guint64 scored = 0;
  gst_structure_get_uint64(stats, "scored", &scored);
  gst_structure_free(stats);
  EXPECT_GE(scored, 3u);  // the preroll frame, and the first after each seek
}

TEST(BcpTagger, EndsAStreamWithoutFrames) {
  Tagger tagger;
  tagger.caps(rgb_caps());
  tagger.event(gst_event_new_eos());
  EXPECT_EQ(tagger.stat<int>("frames"), 0);
  EXPECT_TRUE(tagger.faults().empty());
}

TEST(BcpTagger, ReportsNoLatency) {
  Tagger tagger;
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed));
  EXPECT_EQ(gst_harness_query_latency(tagger.get()), 0u);
}

TEST(BcpTagger, PassesAllocationQueriesUnchanged) {
  Tagger tagger;
  tagger.caps(rgb_caps());
  const gst::CapsPtr caps(gst_caps_from_string(rgb_caps().c_str()));
  // A sink that offers nothing: the tagger must add nothing.
  gst::QueryPtr bare(gst_query_new_allocation(caps.get(), TRUE));
  gst_pad_peer_query(tagger.get()->srcpad, bare.get());
  EXPECT_FALSE(gst_query_find_allocation_meta(bare.get(), GST_VIDEO_META_API_TYPE, nullptr));
  // A sink that offers strides and crops: both must arrive.
  gst_harness_add_propose_allocation_meta(tagger.get(), GST_VIDEO_META_API_TYPE, nullptr);
  gst_harness_add_propose_allocation_meta(tagger.get(), GST_VIDEO_CROP_META_API_TYPE, nullptr);
  gst::QueryPtr rich(gst_query_new_allocation(caps.get(), TRUE));
  gst_pad_peer_query(tagger.get()->srcpad, rich.get());
  EXPECT_TRUE(gst_query_find_allocation_meta(rich.get(), GST_VIDEO_META_API_TYPE, nullptr));
  EXPECT_TRUE(gst_query_find_allocation_meta(rich.get(), GST_VIDEO_CROP_META_API_TYPE, nullptr));
}

TEST(BcpTagger, SharesTheFramesMemoryWithOtherBranches) {
  Tagger tagger;
  tagger.caps(rgb_caps());
  auto in = frame(kRed);
  const gst::BufferPtr branch(gst_buffer_ref(in.get()));  // as tee would: the tagger gets a buffer it may not write
  const auto out = tagger.push(std::move(in));
  EXPECT_NE(out.get(), branch.get());
  EXPECT_EQ(gst_buffer_peek_memory(out.get(), 0), gst_buffer_peek_memory(branch.get(), 0));
  EXPECT_FALSE(gst_buffer_get_bcp_meta(branch.get()));
}

TEST(BcpTagger, ResultsOutliveThePipeline) {
  std::vector<gst::BufferPtr> buffers;
  {
    const auto p = pipeline("videotestsrc pattern=red num-buffers=3 ! bcptagger decision=softmax model=" + kBundles +
                            "toy ! fakesink name=sink");
    collect(child(p, "sink").get(), buffers);
    run(p);
  }
  ASSERT_EQ(buffers.size(), 3u);
  for (const auto& buffer : buffers) EXPECT_EQ(best(buffer.get()), "red");
}

TEST(BcpTagger, TakesPropertyChangesWhilePlaying) {
  const auto p = pipeline(
      "videotestsrc num-buffers=400 ! video/x-raw,width=64,height=64 ! bcptagger name=t decision=softmax model=" +
      kBundles + "toy ! fakesink");
  const auto tagger = child(p, "t");
  std::atomic<bool> done{false};
  std::thread changer([&] {
    for (int i = 0; !done; ++i) {
      g_object_set(tagger.get(), "labels", i % 2 ? "red,green,blue" : "blue,yellow", "anchor-confidence",
                   (i % 10) / 10.0, "coverage", i % 3, "threshold", (i % 7) / 10.0, "enabled", i % 5 != 0, "source-id",
                   "changing", nullptr);
      GstStructure* stats = nullptr;
      gchar* labels = nullptr;
      g_object_get(tagger.get(), "stats", &stats, "labels", &labels, nullptr);
      gst_structure_free(stats);
      g_free(labels);
    }
  });
  for (const Message& message : run(p)) EXPECT_EQ(message.type, GST_MESSAGE_INFO) << message.text;
  done = true;
  changer.join();
}

TEST(BcpTagger, UsesThePresetsValuesUnlessOneIsSet) {
  const gst::ElementPtr tagger(GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("bcptagger", nullptr))));
  gdouble shrinkage = 0, novelty = 0;
  const auto read = [&] { g_object_get(tagger.get(), "shrinkage", &shrinkage, "novelty-distance", &novelty, nullptr); };
  read();
  EXPECT_EQ(shrinkage, 2);
  EXPECT_EQ(novelty, 0.05);
  gst_util_set_object_arg(G_OBJECT(tagger.get()), "preset", "paper");
  read();
  EXPECT_EQ(shrinkage, 0);
  EXPECT_EQ(novelty, 0);
  g_object_set(tagger.get(), "shrinkage", 3.0, nullptr);
  gst_util_set_object_arg(G_OBJECT(tagger.get()), "preset", "video");
  read();
  EXPECT_EQ(shrinkage, 3);
  EXPECT_EQ(novelty, 0.05);
}

TEST(BcpTagger, PostsResultsAndEvents) {
  Tagger tagger("post-messages=results source-id=door");
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed));
  auto results = tagger.messages("bcp-result");
  ASSERT_EQ(results.size(), 1u);
  EXPECT_STREQ(gst_structure_get_string(results[0].get(), "source-id"), "door");
  EXPECT_STREQ(gst_structure_get_string(results[0].get(), "anchor"), "red");
  const GValue* labels = gst_structure_get_value(results[0].get(), "labels");
  ASSERT_EQ(gst_value_array_get_size(labels), 1u);
  const GstStructure* label = gst_value_get_structure(gst_value_array_get_value(labels, 0));
  EXPECT_STREQ(gst_structure_get_string(label, "name"), "red");
  for (const char* number : {"probability", "softmax", "zero-shot-softmax", "prior", "evidence", "logit"}) {
    EXPECT_TRUE(gst_structure_has_field_typed(label, number, G_TYPE_DOUBLE)) << number;
  }
  double threshold = 0;
  EXPECT_TRUE(gst_structure_get_double(results[0].get(), "threshold", &threshold));
  EXPECT_GT(threshold, 0);
  EXPECT_TRUE(gst_structure_get_string(results[0].get(), "decision"));
  EXPECT_TRUE(gst_structure_has_field_typed(results[0].get(), "calibrated", G_TYPE_BOOLEAN));
  EXPECT_TRUE(gst_structure_has_field_typed(results[0].get(), "context", G_TYPE_STRING));

  gst_util_set_object_arg(G_OBJECT(tagger.element()), "post-messages", "events");
  tagger.push(frame(kRed, kFrame));
  tagger.push(frame(kRed, 2 * kFrame));
  tagger.push(frame(kGreen, 3 * kFrame));
  tagger.event(gst_event_new_eos());
  std::vector<std::string> events;
  for (const auto& event : tagger.messages("bcp-event")) {
    events.push_back(std::string(gst_structure_get_string(event.get(), "event")) + " " +
                     gst_structure_get_string(event.get(), "label"));
    if (events.size() == 3) {
      GstClockTime start = 0, end = 0, duration = 0;
      EXPECT_TRUE(gst_structure_get_clock_time(event.get(), "duration", &duration));
      EXPECT_EQ(duration, 2 * kFrame);
      EXPECT_TRUE(gst_structure_get_clock_time(event.get(), "start", &start));
      EXPECT_TRUE(gst_structure_get_clock_time(event.get(), "end", &end));
      EXPECT_EQ(end - start, duration);
      double peak = 0, mean = 0, probability = 0;
      EXPECT_TRUE(gst_structure_get_double(event.get(), "peak", &peak));
      EXPECT_TRUE(gst_structure_get_double(event.get(), "mean", &mean));
      EXPECT_TRUE(gst_structure_get_double(event.get(), "probability", &probability));
      EXPECT_GT(mean, 0);
      EXPECT_GE(peak, mean);
      EXPECT_LE(probability, peak);
    }
  }
  EXPECT_EQ(events, (std::vector<std::string>{"label-on red", "label-on green", "label-off red", "label-off green"}));
}

TEST(BcpTagger, ConvertsASourceIdThatIsNotUtf8) {
  Tagger tagger("post-messages=events");
  g_object_set(tagger.element(), "source-id", "caf\xe9", nullptr);
  tagger.caps(rgb_caps());
  const auto out = tagger.push(frame(kRed));
  EXPECT_STREQ(gst_bcp_result_get_source_id(gst_buffer_get_bcp_meta(out.get())->result), "caf\xef\xbf\xbd");
  const auto events = tagger.messages("bcp-event");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_STREQ(gst_structure_get_string(events[0].get(), "source-id"), "caf\xef\xbf\xbd");
}

}  // namespace
}  // namespace bcp::test
