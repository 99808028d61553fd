// SPDX-License-Identifier: LGPL-2.1-or-later
//
// bcptagger and its prior-file: the learnt statistics are kept from run to run.

#include <atomic>
#include <filesystem>
#include <thread>

#include "tagger_prior_support.hpp"

namespace bcp::test {
namespace {

TEST(BcpTaggerPrior, ContinuesAfterARestart) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  Tagger uninterrupted("preset=paper");
  teach(uninterrupted);
  const auto expected = uninterrupted.push(frame(kYellow, GST_SECOND));

  run_once(in(path));
  Tagger again(in(path));
  again.caps(rgb_caps());
  EXPECT_EQ(again.stat<double>("samples"), std::size(kLesson));
  EXPECT_EQ(again.stat<double>("prior-loaded"), std::size(kLesson));
  const auto first = again.push(frame(kYellow, GST_SECOND));
  EXPECT_EQ(samples(first.get()), std::size(kLesson));
  EXPECT_EQ(corrections(first.get()), corrections(expected.get()));
  EXPECT_NE(corrections(first.get())["red"], 0);
  EXPECT_EQ(shown(first.get()), shown(expected.get()));
}

TEST(BcpTaggerPrior, KeepsLearningFromRunToRun) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  for (double runs = 1; runs <= 3; ++runs) {
    run_once(in(path));
    EXPECT_EQ(load(path).seen.samples(), runs * std::size(kLesson));
  }
}

// The same element, through READY.
TEST(BcpTaggerPrior, IsSavedAndLoadedWhenTheSamePipelineStartsAgain) {
  const Folder folder;
  const auto p = three_frames(in(folder.file("a.prior")));
  for (double runs = 1; runs <= 3; ++runs) {
    EXPECT_TRUE(faults_of(p).empty());
    EXPECT_EQ(load(folder.file("a.prior")).seen.samples(), runs * 3);
  }
}

TEST(BcpTaggerPrior, IsKeptAcrossStreamsAndFlushes) {
  const Folder folder;
  Tagger tagger(in(folder.file("a.prior"))), without("preset=paper");
  for (Tagger* each : {&tagger, &without}) {
    each->caps(rgb_caps());
    each->event(gst_event_new_stream_start("one"));
    each->push(frame(kRed));
    each->event(gst_event_new_flush_start());
    each->event(gst_event_new_flush_stop(TRUE));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    each->event(gst_event_new_segment(&segment));
    EXPECT_EQ(samples(each->push(frame(kGreen, kFrame)).get()), 1);
    each->event(gst_event_new_stream_start("two"));
  }
  EXPECT_EQ(samples(tagger.push(frame(kRed)).get()), 2);
  EXPECT_EQ(samples(without.push(frame(kRed)).get()), 0);
}

TEST(BcpTaggerPrior, IsSavedBeforeEosIsForwarded) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  Tagger tagger(in(path));
  teach(tagger);
  EXPECT_FALSE(std::filesystem::exists(path));
  tagger.event(gst_event_new_eos());
  EXPECT_EQ(load(path).seen.samples(), std::size(kLesson));
  const auto posted = tagger.messages("bcp-prior-saved");
  ASSERT_EQ(posted.size(), 1u);
  EXPECT_STREQ(gst_structure_get_string(posted[0].get(), "path"), path.c_str());
  double count = 0;
  guint labels = 0;
  EXPECT_TRUE(
      gst_structure_get(posted[0].get(), "samples", G_TYPE_DOUBLE, &count, "labels", G_TYPE_UINT, &labels, nullptr));
  EXPECT_EQ(count, std::size(kLesson));
  EXPECT_EQ(labels, 6u);
  EXPECT_EQ(tagger.stat<int>("prior-saves"), 1);
  EXPECT_EQ(tagger.stat<double>("prior-saved"), std::size(kLesson));
  EXPECT_GT(tagger.stat<double>("prior-saved-at"), 1.6e9);

  // Nothing has changed since: stopping saves nothing.
  gst_element_set_state(tagger.element(), GST_STATE_NULL);
  EXPECT_EQ(tagger.stat<int>("prior-saves"), 1);
}

TEST(BcpTaggerPrior, IsNotCreatedWhenNothingWasLearnt) {
  const Folder folder;
  { Tagger tagger(in(folder.file("a.prior"))); }
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.prior")));
}

TEST(BcpTaggerPrior, IsSavedOnDemand) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  Tagger tagger(in(path));
  teach(tagger);
  EXPECT_TRUE(emit(tagger, "save-prior"));
  ASSERT_TRUE(tagger.await("bcp-prior-saved"));
  EXPECT_EQ(load(path).seen.samples(), std::size(kLesson));
  gst_element_set_state(tagger.element(), GST_STATE_READY);
  EXPECT_FALSE(emit(tagger, "save-prior"));
  EXPECT_FALSE(emit(tagger, "reset-prior"));
}

TEST(BcpTaggerPrior, IsSavedOnDemandWithoutFrames) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  const auto p = pipeline("videotestsrc ! bcptagger name=tagger model=" + kBundles + "toy " + in(path) + " ! fakesink");
  gst_element_set_state(p.get(), GST_STATE_PAUSED);
  ASSERT_EQ(gst_element_get_state(p.get(), nullptr, nullptr, 30 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  const auto tagger = child(p, "tagger");
  const gst::BusPtr bus(gst_element_get_bus(p.get()));
  gboolean done = FALSE;
  g_signal_emit_by_name(tagger.get(), "save-prior", &done);
  EXPECT_TRUE(done);
  EXPECT_TRUE(await(bus.get(), "bcp-prior-saved"));
  EXPECT_EQ(load(path).seen.samples(), 1);
}

TEST(BcpTaggerPrior, HasNothingToSaveWithoutAFile) {
  for (const char* properties : {"preset=paper", "preset=paper prior-mode=read-only"}) {
    Tagger tagger(properties);
    teach(tagger);
    EXPECT_FALSE(emit(tagger, "save-prior"));
    EXPECT_TRUE(warnings(tagger).empty());
  }
}

TEST(BcpTaggerPrior, IsSavedEveryPriorInterval) {
  const Folder folder;
  Tagger tagger(in(folder.file("a.prior")));
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed));
  g_object_set(tagger.element(), "prior-interval", 1u, nullptr);
  const gint64 until = g_get_monotonic_time() + 30 * G_TIME_SPAN_SECOND;
  GstClockTime pts = kFrame;
  for (; tagger.stat<int>("prior-saves") < 2 && g_get_monotonic_time() < until; pts += kFrame) {
    tagger.push(frame(kGreen, pts));
    g_usleep(10'000);
  }
  EXPECT_GE(tagger.stat<int>("prior-saves"), 2);
  tagger.push(frame(kGreen, pts));  // the save may have had the frame before
  EXPECT_LT(load(folder.file("a.prior")).seen.samples(), tagger.stat<double>("samples"));
}

TEST(BcpTaggerPrior, IsResetOnDemandAndTheFileStaysUntilTheNextSave) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  run_once(in(path));
  const std::string before = contents(path);
  {
    Tagger tagger(in(path));
    tagger.caps(rgb_caps());
    EXPECT_TRUE(emit(tagger, "reset-prior"));
    EXPECT_EQ(tagger.stat<double>("samples"), 0);
    EXPECT_EQ(contents(path), before);
    const auto first = tagger.push(frame(kYellow));
    EXPECT_EQ(samples(first.get()), 0);
    EXPECT_EQ(corrections(first.get())["red"], 0);
  }
  EXPECT_EQ(load(path).seen.samples(), 1);

  Tagger without("preset=paper");
  teach(without);
  EXPECT_TRUE(emit(without, "reset-prior"));
  EXPECT_EQ(samples(without.push(frame(kRed, GST_SECOND)).get()), 0);
}

TEST(BcpTaggerPrior, IsNeverWrittenInReadOnlyMode) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  run_once(in(path));
  const std::string before = contents(path);
  const auto time = std::filesystem::last_write_time(path);
  {
    Tagger tagger(in(path, "prior-mode=read-only prior-interval=1"));
    teach(tagger);
    EXPECT_EQ(tagger.stat<double>("samples"), 2 * std::size(kLesson));
    EXPECT_FALSE(emit(tagger, "save-prior"));
    tagger.event(gst_event_new_eos());
    EXPECT_TRUE(warnings(tagger).empty());
  }
  EXPECT_EQ(contents(path), before);
  EXPECT_EQ(std::filesystem::last_write_time(path), time);
  EXPECT_CONTAINS(start_error(in(folder.file("none.prior"), "prior-mode=read-only")), "none.prior");
}

TEST(BcpTaggerPrior, IsIgnoredInOffMode) {
  const Folder folder;
  write_file(folder.file("a.prior"), "damaged");
  {
    Tagger tagger(in(folder.file("a.prior"), "prior-mode=off"));
    teach(tagger);
    EXPECT_FALSE(emit(tagger, "save-prior"));
    EXPECT_TRUE(warnings(tagger).empty());
  }
  EXPECT_EQ(contents(folder.file("a.prior")), "damaged");
}

TEST(BcpTaggerPrior, MatchesLabelsByName) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  run_once(in(path));
  EXPECT_EQ(loaded(in(path)), (std::vector<guint>{6, 0, 0}));
  EXPECT_EQ(loaded(in(path, "labels=yellow\\,cyan\\,red")), (std::vector<guint>{3, 0, 3}));
  Tagger tagger(in(path, "labels=yellow\\,cyan\\,red"));
  tagger.caps(rgb_caps());
  Tagger all(in(path, "prior-mode=read-only"));
  all.caps(rgb_caps());
  EXPECT_NEAR(corrections(tagger.push(frame(kYellow)).get())["red"], corrections(all.push(frame(kYellow)).get())["red"],
              1e-9);
}

TEST(BcpTaggerPrior, IsSavedWithTheLabelsThatAreInUse) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  double red = 0;
  {
    Tagger tagger(in(path));
    teach(tagger);
    emit(tagger, "save-prior");
    ASSERT_TRUE(tagger.await("bcp-prior-saved"));
    red = load(path).seen.single()[0];
    g_object_set(tagger.element(), "correction", 0, nullptr);
    ASSERT_TRUE(tagger.change("labels", "blue, red", kRed, GST_SECOND));
  }
  const prior::Snapshot after = load(path);
  EXPECT_EQ(after.labels, (std::vector<std::string>{"blue", "red"}));
  EXPECT_GT(after.seen.single()[1], red);

  EXPECT_EQ(loaded(in(path)), (std::vector<guint>{2, 4, 0}));
  // Labels that were not in the file start empty.
  Tagger back(in(path));
  back.caps(rgb_caps());
  EXPECT_EQ(corrections(back.push(frame(kRed)).get())["green"], 0);
}

// Also the test for ThreadSanitizer.
TEST(BcpTaggerPrior, IsSavedAndResetFromAnyThreadWhileFramesFlow) {
  const Folder folder;
  Tagger tagger(in(folder.file("a.prior"), "prior-interval=1"));
  tagger.caps(rgb_caps());
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (const char* signal : {"save-prior", "save-prior", "reset-prior"}) {
    threads.emplace_back([&, signal] {
      while (!stop) {
        emit(tagger, signal);
        g_usleep(200);
      }
    });
  }
  for (GstClockTime i = 0; i < 300; ++i) {
    if (i % 50 == 25)
      g_object_set(tagger.element(), "labels", i % 100 == 25 ? "red, green" : "green, blue, red", nullptr);
    EXPECT_TRUE(gst_buffer_get_bcp_meta(tagger.push(frame(i % 2 ? kRed : kGreen, i * kFrame)).get()));
  }
  gst_element_set_state(tagger.element(), GST_STATE_NULL);
  stop = true;
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(warnings(tagger).empty());
  EXPECT_GT(tagger.stat<int>("prior-saves"), 0);
  EXPECT_LE(load(folder.file("a.prior")).seen.samples(), 300);
}

}  // namespace
}  // namespace bcp::test
