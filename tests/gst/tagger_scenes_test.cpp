// SPDX-License-Identifier: LGPL-2.1-or-later
//
// bcptagger with scenes and with prior-base: messages, statistics, files, and what it refuses.

#include <filesystem>

#include "tagger_prior_support.hpp"

namespace bcp::test {
namespace {

// A camera that learns every frame, six frames a minute.
struct Camera : Tagger {
  explicit Camera(const std::string& properties) : Tagger("preset=paper " + properties) { caps(rgb_caps()); }
  void watch(Colour colour, int frames) {
    for (int i = 0; i < frames; ++i) push(frame(colour, pts += 10 * GST_SECOND));
  }
  void watch_day_and_night() {
    watch(kYellow, 100);
    watch(kBlue, 100);
  }
  GstClockTime pts = 0;
};

TEST(BcpTaggerScenes, PostsAndCountsChanges) {
  Camera camera("scenes=4 source-id=gate");
  EXPECT_EQ(camera.stat<int>("scene"), 1);
  camera.watch_day_and_night();
  camera.watch(kYellow, 5);
  EXPECT_EQ(camera.stat<int>("scene"), 1);
  EXPECT_EQ(camera.stat<int>("scenes"), 2);
  EXPECT_EQ(camera.stat<int>("scene-changes"), 2);
  EXPECT_EQ(camera.stat<double>("samples"), 205);
  const auto posted = camera.messages("bcp-scene");
  ASSERT_EQ(posted.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    guint scene = 0, previous = 0, scenes = 0;
    gboolean is_new = FALSE;
    GstClockTime time = 0;
    ASSERT_TRUE(gst_structure_get(posted[i].get(), "scene", G_TYPE_UINT, &scene, "previous", G_TYPE_UINT, &previous,
                                  "new", G_TYPE_BOOLEAN, &is_new, "scenes", G_TYPE_UINT, &scenes, "stream-time",
                                  GST_TYPE_CLOCK_TIME, &time, nullptr));
    EXPECT_STREQ(gst_structure_get_string(posted[i].get(), "source-id"), "gate");
    EXPECT_EQ(scene, i == 0 ? 2u : 1u);
    EXPECT_EQ(previous, i == 0 ? 1u : 2u);
    EXPECT_EQ(is_new, i == 0);
    EXPECT_EQ(scenes, 2u);
    EXPECT_GT(time, 1000 * GST_SECOND);
  }
  EXPECT_TRUE(emit(camera, "reset-prior"));
  EXPECT_EQ(camera.stat<int>("scenes"), 1);
}

TEST(BcpTaggerScenes, AreOffByDefault) {
  Camera camera("");
  camera.watch_day_and_night();
  EXPECT_EQ(camera.stat<int>("scene"), 0);
  EXPECT_EQ(camera.stat<int>("scenes"), 0);
  EXPECT_TRUE(camera.messages("bcp-scene").empty());
}

TEST(BcpTaggerScenes, ACameraRestartedAtNightPicksTheNight) {
  const Folder folder;
  const std::string properties = "scenes=4 prior-file=" + folder.file("a.prior");
  {
    Camera camera(properties);
    camera.watch_day_and_night();
    camera.watch(kYellow, 5);
  }
  EXPECT_EQ(load(folder.file("a.prior")).scenes.size(), 2u);
  EXPECT_EQ(load(folder.file("a.prior")).seen.samples(), 205);
  Camera camera(properties);
  EXPECT_EQ(camera.stat<double>("samples"), 205);
  EXPECT_EQ(camera.stat<int>("scenes"), 2);
  EXPECT_EQ(camera.stat<int>("scene"), 1);
  camera.watch(kBlue, 1);
  EXPECT_EQ(camera.stat<int>("scene"), 2);
}

TEST(BcpTaggerScenes, StayWithAChangeOfLabels) {
  Camera camera("scenes=4");
  camera.watch_day_and_night();
  camera.change("labels", "red,yellow,blue", kBlue, camera.pts);
  EXPECT_EQ(camera.stat<int>("scenes"), 2);
  camera.watch(kYellow, 5);
  EXPECT_EQ(camera.stat<int>("scene"), 1);
}

TEST(BcpTaggerScenes, AreRefusedInAGroup) {
  const std::string error = start_error("scenes=4 prior-group=lobby");
  EXPECT_CONTAINS(error, "scenes=4 cannot be combined with prior-group=lobby");
  EXPECT_CONTAINS(error, "remove one of the two");
}

TEST(BcpTaggerBase, CorrectsFromTheFirstFrameAndIsNotStored) {
  const Folder folder;
  const std::string base = folder.file("base.prior"), own = folder.file("own.prior");
  run_once(in(base));
  for (double runs = 1; runs <= 2; ++runs) {
    Tagger tagger(in(own, "prior-base=" + base));
    tagger.caps(rgb_caps());
    EXPECT_EQ(tagger.stat<double>("base-samples"), std::size(kLesson));
    EXPECT_EQ(tagger.stat<double>("samples"), runs - 1);
    const auto first = tagger.push(frame(kYellow, GST_SECOND));
    EXPECT_EQ(samples(first.get()), std::size(kLesson) + runs - 1);
    EXPECT_NE(corrections(first.get())["red"], 0);
    tagger.event(gst_event_new_eos());
    EXPECT_EQ(load(own).seen.samples(), runs);
  }
  EXPECT_EQ(load(base).seen.samples(), std::size(kLesson));
}

TEST(BcpTaggerBase, ErrorsAtStartNameTheFile) {
  const Folder folder;
  const std::string base = folder.file("base.prior");
  run_once(in(base));
  EXPECT_CONTAINS(start_error("prior-base=" + folder.file("none")), "none");
  EXPECT_CONTAINS(start_error("prior-base=" + folder.file("none")), "set prior-base to a prior file, or to nothing");
  EXPECT_CONTAINS(start_error("prior-base=" + base + " prior-file=" + base), "are the same file");
  prior::Snapshot other = load(base);
  other.model = "another";
  ASSERT_TRUE(prior::save_snapshot(folder.file("other.prior"), other));
  EXPECT_CONTAINS(start_error("prior-base=" + folder.file("other.prior")), "was learnt with another model");
}

TEST(BcpTaggerBase, WarnsIfItHasNoneOfTheLabels) {
  const Folder folder;
  const std::string base = folder.file("base.prior");
  run_once(in(base, "labels=red,green"));
  const auto found = faults_of(three_frames("prior-base=" + base + " labels=yellow,blue"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].type, GST_MESSAGE_WARNING);
  EXPECT_CONTAINS(found[0].text, "none of the labels");
}

}  // namespace
}  // namespace bcp::test
