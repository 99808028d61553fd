// SPDX-License-Identifier: LGPL-2.1-or-later
//
// bcptagger and its prior-file: what was learnt outlives the run, and nothing of anybody's is overwritten.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <thread>

#include "adapt/snapshot.hpp"
#include "tagger_support.hpp"

namespace bcp::test {
namespace {

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

constexpr GstClockTime kFrame = 40 * GST_MSECOND;
constexpr Colour kLesson[] = {kRed, kYellow, kRed, kGreen, kYellow, kBlue, kYellow};

std::string in(const std::string& path, const std::string& more = "") {
  return "preset=paper prior-file=" + path + " " + more;
}

void teach(Tagger& tagger) {
  tagger.caps(rgb_caps());
  GstClockTime pts = 0;
  for (const Colour colour : kLesson) tagger.push(frame(colour, pts += kFrame));
}

// A tagger has run and stopped.
void run_once(const std::string& properties) {
  Tagger tagger(properties);
  teach(tagger);
}

bool emit(const Tagger& tagger, const char* signal) {
  gboolean done = FALSE;
  g_signal_emit_by_name(tagger.element(), signal, &done);
  return done;
}

adapt::Snapshot load(const std::string& path) {
  auto snapshot = adapt::load_snapshot(path);
  EXPECT_TRUE(snapshot) << snapshot.error().message;
  return snapshot ? *std::move(snapshot) : adapt::Snapshot{"", {}, adapt::Cooccurrence(0)};
}

// What was added to each label of a frame.
std::map<std::string, double> corrections(GstBuffer* buffer) {
  std::map<std::string, double> all;
  const GstBcpResult* result = gst_buffer_get_bcp_meta(buffer)->result;
  const GstBcpLabels* labels = gst_bcp_result_get_labels(result);
  for (guint k = 0; k < gst_bcp_labels_get_size(labels); ++k) {
    all[gst_bcp_labels_get_name(labels, k)] = gst_bcp_result_get_score(result, k)->correction;
  }
  return all;
}

double samples(GstBuffer* buffer) {
  return gst_bcp_result_get_samples(gst_buffer_get_bcp_meta(buffer)->result);
}

std::vector<std::string> warnings(const Tagger& tagger) {
  std::vector<std::string> all;
  for (const Message& message : tagger.faults()) {
    if (message.type == GST_MESSAGE_WARNING) all.push_back(message.text);
  }
  return all;
}

// A tagger in a pipeline, heard from its start on.
Pipeline three_frames(const std::string& properties, const std::string& bundle = "toy") {
  return pipeline("videotestsrc num-buffers=3 ! bcptagger name=second model=" + kBundles + bundle + " " + properties +
                  " ! fakesink");
}

// Runs it to its end and stops it. What was wrong.
std::vector<Message> faults_of(const Pipeline& p) {
  std::vector<Message> all = run(p);
  gst_element_set_state(p.get(), GST_STATE_READY);
  std::erase_if(all, [](const Message& message) { return message.type == GST_MESSAGE_INFO; });
  return all;
}

// How it says it has loaded its labels: kept, new, dropped.
std::vector<guint> loaded(const std::string& properties) {
  const auto p = three_frames(properties + " prior-mode=read-only");
  const gst::BusPtr bus(gst_element_get_bus(p.get()));
  gst_element_set_state(p.get(), GST_STATE_PAUSED);
  const auto told = await(bus.get(), "bcp-prior-loaded");
  std::vector<guint> counts(3);
  double count = 0;
  EXPECT_TRUE(told && gst_structure_get(told.get(), "kept", G_TYPE_UINT, &counts[0], "new", G_TYPE_UINT, &counts[1],
                                        "dropped", G_TYPE_UINT, &counts[2], "samples", G_TYPE_DOUBLE, &count, nullptr));
  EXPECT_GE(count, std::size(kLesson));
  return counts;
}

// The one error with which the element refuses to start.
std::string start_error(const std::string& properties) {
  const auto found = faults_of(three_frames(properties));
  EXPECT_EQ(found.size(), 1u) << properties;
  return found.size() == 1 && found[0].type == GST_MESSAGE_ERROR ? found[0].text : "";
}

TEST(BcpTaggerPrior, GoesOnAfterARestartAsIfThereHadBeenNone) {
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

TEST(BcpTaggerPrior, LearnsOnFromRunToRun) {
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

TEST(BcpTaggerPrior, OutlivesStreamsAndFlushes) {
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

TEST(BcpTaggerPrior, IsOnTheDiskBeforeTheEndOfTheStreamPasses) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  Tagger tagger(in(path));
  teach(tagger);
  EXPECT_FALSE(std::filesystem::exists(path));
  tagger.event(gst_event_new_eos());
  EXPECT_EQ(load(path).seen.samples(), std::size(kLesson));
  const auto told = tagger.messages("bcp-prior-saved");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_STREQ(gst_structure_get_string(told[0].get(), "path"), path.c_str());
  double count = 0;
  guint labels = 0;
  EXPECT_TRUE(
      gst_structure_get(told[0].get(), "samples", G_TYPE_DOUBLE, &count, "labels", G_TYPE_UINT, &labels, nullptr));
  EXPECT_EQ(count, std::size(kLesson));
  EXPECT_EQ(labels, 6u);
  EXPECT_EQ(tagger.stat<int>("prior-saves"), 1);
  EXPECT_EQ(tagger.stat<double>("prior-saved"), std::size(kLesson));
  EXPECT_GT(tagger.stat<double>("prior-saved-at"), 1.6e9);

  // Nothing has changed since: stopping saves nothing.
  gst_element_set_state(tagger.element(), GST_STATE_NULL);
  EXPECT_EQ(tagger.stat<int>("prior-saves"), 1);
}

TEST(BcpTaggerPrior, IsNotMadeWhenNothingWasLearnt) {
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

TEST(BcpTaggerPrior, IsSavedOnDemandWhileNoFrameComes) {
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

TEST(BcpTaggerPrior, IsSavedAgainAndAgainByTheClock) {
  const Folder folder;
  Tagger tagger(in(folder.file("a.prior")));
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed));
  g_object_set(tagger.element(), "prior-interval", 1u, nullptr);
  const gint64 until = g_get_monotonic_time() + 30 * G_TIME_SPAN_SECOND;
  for (GstClockTime pts = kFrame; tagger.stat<int>("prior-saves") < 2 && g_get_monotonic_time() < until;
       pts += kFrame) {
    tagger.push(frame(kGreen, pts));
    g_usleep(10'000);
  }
  EXPECT_GE(tagger.stat<int>("prior-saves"), 2);
  EXPECT_LT(load(folder.file("a.prior")).seen.samples(), tagger.stat<double>("samples"));
}

TEST(BcpTaggerPrior, IsForgottenOnDemandAndTheFileStaysUntilTheNextSave) {
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

TEST(BcpTaggerPrior, IsNeverWrittenWhenItIsToBeRead) {
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

TEST(BcpTaggerPrior, IsNotLookedAtWhenItIsOff) {
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

TEST(BcpTaggerPrior, ThatIsDamagedIsToldAndLeftInPlace) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  run_once(in(path));
  const std::string damaged = contents(path).substr(0, 200);
  write_file(path, damaged);

  const auto found = faults_of(three_frames(in(path)));
  ASSERT_EQ(found.size(), 2u);
  for (const Message& message : found) {
    EXPECT_EQ(message.type, GST_MESSAGE_WARNING);
    EXPECT_CONTAINS(message.text, path);
    EXPECT_CONTAINS(message.text, "move it away");
  }
  EXPECT_CONTAINS(found[0].text, "is damaged");
  EXPECT_CONTAINS(found[1].text, "not saved");
  EXPECT_EQ(contents(path), damaged);
}

TEST(BcpTaggerPrior, TakesThePlaceOfADamagedFileOnceThatIsMovedAway) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  write_file(path, "damaged");
  Tagger tagger(in(path));
  teach(tagger);
  EXPECT_EQ(tagger.stat<double>("samples"), std::size(kLesson));
  std::filesystem::rename(path, folder.file("damaged"));
  EXPECT_TRUE(emit(tagger, "save-prior"));
  ASSERT_TRUE(tagger.await("bcp-prior-saved"));
  EXPECT_EQ(load(path).seen.samples(), std::size(kLesson));
}

TEST(BcpTaggerPrior, OfAnotherModelIsToldAndLeftInPlace) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  run_once(in(path));
  const std::string before = contents(path);
  const auto found = faults_of(three_frames(in(path), "toy-fixed"));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_CONTAINS(found[0].text, path + " was learnt with another model");
  EXPECT_CONTAINS(found[1].text, "move it away");
  EXPECT_EQ(contents(path), before);
}

TEST(BcpTaggerPrior, KnowsLabelsByName) {
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
  const adapt::Snapshot after = load(path);
  EXPECT_EQ(after.labels, (std::vector<std::string>{"blue", "red"}));
  EXPECT_GT(after.seen.single()[1], red);

  EXPECT_EQ(loaded(in(path)), (std::vector<guint>{2, 4, 0}));
  // Labels that were not in the file start empty.
  Tagger back(in(path));
  back.caps(rgb_caps());
  EXPECT_EQ(corrections(back.push(frame(kRed)).get())["green"], 0);
}

TEST(BcpTaggerPrior, HasOneWriterInAProcess) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  {
    Tagger first(in(path));
    teach(first);
    const std::string error = start_error(in(path));
    EXPECT_CONTAINS(error, "tagger already does");
    EXPECT_CONTAINS(error, path);
    Tagger reader(in(path, "prior-mode=off"));
  }
  EXPECT_EQ(load(path).seen.samples(), std::size(kLesson));
  run_once(in(path));
  EXPECT_EQ(load(path).seen.samples(), 2 * std::size(kLesson));
}

TEST(BcpTaggerPrior, IsAnErrorAtStartWhereItCouldNotBeSaved) {
  const Folder folder;
  const std::string error = start_error(in(folder.file("none/a.prior")));
  EXPECT_CONTAINS(error, "none/a.prior");
  EXPECT_CONTAINS(error, "write to");
}

TEST(BcpTaggerPrior, IsToldOnceWhenItCannotBeSavedAndTheVideoGoesOn) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("inner"));
  const std::string path = folder.file("inner/a.prior");
  Tagger tagger(in(path));
  teach(tagger);
  std::filesystem::remove(folder.file("inner"));
  for (std::uint64_t faults = 1; faults <= 3; ++faults) {
    EXPECT_TRUE(emit(tagger, "save-prior"));
    for (int i = 0; i < 5000 && tagger.stat<std::uint64_t>("faults") < faults; ++i) g_usleep(1000);
    ASSERT_EQ(tagger.stat<std::uint64_t>("faults"), faults);
    EXPECT_EQ(best(tagger.push(frame(kRed, GST_SECOND)).get()), "red");
  }
  const auto told = warnings(tagger);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_CONTAINS(told[0], path);
  // Mended, and nothing is lost.
  std::filesystem::create_directory(folder.file("inner"));
  gst_element_set_state(tagger.element(), GST_STATE_READY);
  EXPECT_EQ(load(path).seen.samples(), std::size(kLesson) + 3);
}

// Also the test for ThreadSanitizer.
TEST(BcpTaggerPrior, IsSavedAndForgottenFromAnyThreadWhileFramesFlow) {
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
