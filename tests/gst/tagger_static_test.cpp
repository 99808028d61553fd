// SPDX-License-Identifier: LGPL-2.1-or-later
// bcptagger skip-static: which frames are not scored because the picture does not change, and what forces a score.

#include "async_support.hpp"
#include "gate.hpp"

namespace bcp::test {
namespace {

TEST(BcpTaggerStatic, CarriesTheLastResultHeldWhileThePictureDoesNotChange) {
  Tagger tagger("skip-static=on");
  tagger.caps(rgb_caps());
  const Colour colours[] = {kRed, kRed, kRed, kGreen, kGreen, kRed};
  const char* expected[] = {"red", "red", "red", "green", "green", "red"};
  const GstClockTime age[] = {0, kFrame, 2 * kFrame, 0, kFrame, 0};
  for (int i = 0; i < 6; ++i) {
    const auto out = tagger.push(frame(colours[i], at(i)));
    EXPECT_EQ(best(out.get()), expected[i]) << i;
    EXPECT_EQ(meta_of(out)->age, age[i]) << i;
    EXPECT_EQ(meta_of(out)->held, age[i] != 0) << i;
  }
  EXPECT_EQ(tagger.stat<int>("scored"), 3);
  EXPECT_EQ(tagger.stat<int>("static-skipped"), 3);
  EXPECT_EQ(tagger.stat<int>("held"), 3);
}

TEST(BcpTaggerStatic, ComparesOnlyDueFrames) {
  Tagger tagger("skip-static=on inference-interval=3");
  tagger.caps(rgb_caps());
  for (int i = 0; i < 9; ++i) tagger.push(frame(kRed, at(i)));
  EXPECT_EQ(tagger.stat<int>("scored"), 1);
  EXPECT_EQ(tagger.stat<int>("static-skipped"), 2);
  EXPECT_EQ(tagger.stat<int>("held"), 8);
}

TEST(BcpTaggerStatic, IsOffByDefaultInSyncMode) {
  Tagger tagger("skip-static=auto");
  tagger.caps(rgb_caps());
  for (int i = 0; i < 3; ++i) tagger.push(frame(kRed, at(i)));
  EXPECT_EQ(tagger.stat<int>("scored"), 3);
  EXPECT_EQ(tagger.stat<int>("static-skipped"), 0);
}

void await_skipped(const Tagger& tagger, int count) {
  for (int i = 0; i < 30'000 && tagger.stat<int>("static-skipped") < count; ++i) g_usleep(1000);
  EXPECT_EQ(tagger.stat<int>("static-skipped"), count);
}

TEST(BcpTaggerStatic, IsOnByDefaultInAsyncMode) {
  Tagger tagger("mode=async skip-static=auto");
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed, 0));
  await_scored(tagger, 1);
  for (int i = 1; i < 4; ++i) {
    const auto out = tagger.push(frame(kRed, at(i)));
    EXPECT_EQ(best(out.get()), "red");
    EXPECT_EQ(meta_of(out)->held, i > 1);
    await_skipped(tagger, i);
  }
  tagger.push(frame(kGreen, at(4)));
  await_scored(tagger, 2);
  EXPECT_EQ(best(tagger.push(frame(kGreen, at(5))).get()), "green");
  await_skipped(tagger, 4);
  EXPECT_EQ(tagger.stat<int>("dropped"), 0);
}

TEST(BcpTaggerStatic, ComparesPicturesOnTheWorkerAndNotOnTheStreamingThread) {
  Gate gate;
  Tagger tagger("mode=async skip-static=on");
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed, 0));
  await_scored(tagger, 1);
  const auto out = tagger.push(gate.frame(kRed, at(1)));  // returns although the frame cannot be read yet
  EXPECT_EQ(best(out.get()), "red");
  gate.await_reader();
  gate.open();
  await_skipped(tagger, 1);
}

TEST(BcpTaggerStatic, ScoresOneFrameEveryTenSeconds) {
  Tagger tagger("skip-static=on");
  tagger.caps(rgb_caps());
  std::vector<int> fresh;
  for (int second = 0; second < 25; ++second) {
    const auto out = tagger.push(frame(kRed, static_cast<GstClockTime>(second) * GST_SECOND));
    if (!meta_of(out)->held) fresh.push_back(second);
  }
  EXPECT_EQ(fresh, (std::vector{0, 10, 20}));
}

TEST(BcpTaggerStatic, NoticesSlowDrift) {
  Tagger tagger("skip-static=on");
  tagger.caps(rgb_caps());
  for (int i = 0; i < 60; ++i) {
    const auto level = static_cast<std::uint8_t>(100 + i);
    tagger.push(frame({level, level, level}, at(i)));
  }
  EXPECT_GE(tagger.stat<int>("scored"), 5);
  EXPECT_LE(tagger.stat<int>("scored"), 15);
}

// Everything else that the result depends on.
TEST(BcpTaggerStatic, ScoresTheSamePictureAgainWhenSomethingElseHasChanged) {
  Tagger tagger("skip-static=on preset=paper");
  tagger.caps(rgb_caps());
  int pts = 0, scored = 0;
  const auto scores_again = [&] {
    for (int i = 0; i < 3; ++i) tagger.push(frame(kRed, at(pts++)));
    const int before = std::exchange(scored, tagger.stat<int>("scored"));
    return scored - before == 1;  // one, and then the picture is static
  };
  EXPECT_TRUE(scores_again()) << "the first";
  for (const auto& [property, value] :
       {std::pair("threshold", "0.3"), {"coverage", "squash"}, {"top-k", "1"}, {"correction", "none"}}) {
    gst_util_set_object_arg(G_OBJECT(tagger.element()), property, value);
    EXPECT_TRUE(scores_again()) << property;
  }
  gboolean done = FALSE;
  g_signal_emit_by_name(tagger.element(), "feedback", "red", FALSE, GST_CLOCK_TIME_NONE, &done);
  EXPECT_TRUE(done);
  EXPECT_TRUE(scores_again()) << "feedback";
  g_signal_emit_by_name(tagger.element(), "reset-prior", &done);
  EXPECT_TRUE(done);
  EXPECT_TRUE(scores_again()) << "reset-prior";
  flush(tagger);
  EXPECT_TRUE(scores_again()) << "a flush";
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  tagger.event(gst_event_new_segment(&segment));
  EXPECT_TRUE(scores_again()) << "a segment";
  tagger.event(gst_event_new_stream_start("another"));
  tagger.event(gst_event_new_segment(&segment));
  EXPECT_TRUE(scores_again()) << "a stream";
  tagger.event(gst_event_new_tag(gst_tag_list_new(GST_TAG_IMAGE_ORIENTATION, "rotate-180", nullptr)));
  EXPECT_TRUE(scores_again()) << "an orientation";
  tagger.caps("video/x-raw,format=RGB,width=64,height=48,framerate=30/1");
  EXPECT_TRUE(scores_again()) << "caps";
  g_object_set(tagger.element(), "enabled", FALSE, nullptr);
  tagger.push(frame(kRed, at(pts++)));
  g_object_set(tagger.element(), "enabled", TRUE, nullptr);
  EXPECT_TRUE(scores_again()) << "enabled";
}

TEST(BcpTaggerStatic, ScoresTheSamePictureAgainWithOtherLabels) {
  Tagger tagger("skip-static=on labels=red\\,green", "toy-words");
  tagger.caps(rgb_caps());
  tagger.push(frame(kBlue, 0));
  EXPECT_EQ(best(tagger.change("labels", "red,blue", kBlue, kFrame).get()), "blue");
}

TEST(BcpTaggerStatic, LearnsNothingFromAFrameThatItSkips) {
  Tagger tagger("skip-static=on preset=paper");
  tagger.caps(rgb_caps());
  for (int i = 0; i < 5; ++i) tagger.push(frame(kRed, at(i)));
  EXPECT_EQ(tagger.stat<double>("samples"), 1);
}

TEST(BcpTaggerStatic, ShowsALabelAfterItsMinimumDurationInAStaticPicture) {
  Tagger tagger("skip-static=on min-duration=200000000 post-messages=events");
  tagger.caps(rgb_caps());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(best(tagger.push(frame(kRed, at(i))).get()), i < 5 ? "" : "red") << i;
  EXPECT_EQ(tagger.stat<int>("scored"), 6);
  EXPECT_EQ(tagger.messages("bcp-event").size(), 1U) << "the label came once and did not go";
}

TEST(BcpTaggerStatic, HoldsNothingAfterAFrameThatCannotBeRead) {
  Tagger tagger("skip-static=on");
  tagger.caps(rgb_caps());
  EXPECT_EQ(best(tagger.push(frame(kRed, 0)).get()), "red");
  EXPECT_EQ(best(tagger.push(Gate::unreadable(at(1))).get()), "");
  const auto out = tagger.push(frame(kRed, at(2)));
  EXPECT_EQ(best(out.get()), "red");
  EXPECT_FALSE(meta_of(out)->held);

  Tagger live("mode=async skip-static=on");
  live.caps(rgb_caps());
  live.push(frame(kRed, 0));
  await_scored(live, 1);
  EXPECT_EQ(best(live.push(frame(kRed, at(1))).get()), "red");
  await_skipped(live, 1);
  live.push(Gate::unreadable(at(2)));
  EXPECT_EQ(best(live.push(frame(kRed, at(3))).get()), "");
  await_scored(live, 2);
  EXPECT_EQ(best(live.push(frame(kRed, at(4))).get()), "red");
}

// Each region has its own labels, and moves while the picture is static.
TEST(BcpTaggerStatic, ScoresRegionsInAStaticPicture) {
  for (const char* what : {"roi-list", "full-frame+roi"}) {
    Tagger tagger(std::string("skip-static=on inference-region=") + what);
    tagger.caps(rgb_caps());
    for (int i = 0; i < 3; ++i) {
      gst::BufferPtr buffer = frame(kRed, at(i));
      gst_buffer_add_video_region_of_interest_meta(buffer.get(), "thing", 0, 0, 32, 32);
      tagger.push(std::move(buffer));
    }
    EXPECT_EQ(tagger.stat<int>("static-skipped"), 0) << what;
    EXPECT_EQ(tagger.stat<int>("regions-scored"), 3) << what;
  }
}

// Two streams of one model; the worker is blocked in a frame of the first.
TEST(BcpTaggerStatic, AFrameThatReplacesAForcedOneIsForcedToo) {
  Gate gate;
  Tagger busy("mode=async model-instance-id=static"), tagger("mode=async skip-static=on model-instance-id=static");
  busy.caps(rgb_caps());
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed, 0));
  await_scored(tagger, 1);
  busy.push(gate.frame(kBlue, 0));
  gate.await_reader();
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  tagger.event(gst_event_new_segment(&segment));
  for (int i = 1; i < 4; ++i) tagger.push(frame(kRed, at(i)));  // each replaces the one before
  gate.open();
  await_scored(tagger, 2);
  EXPECT_EQ(tagger.stat<int>("static-skipped"), 0);
}

}  // namespace
}  // namespace bcp::test
