// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Scenes: what a stream learns in each, what a new one starts from, and what its file has.

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "prior/base.hpp"
#include "prior_scenes_support.hpp"

namespace bcp::prior {
namespace {

using namespace scenes_test;

double share(const Learnt& learnt, std::size_t label) {
  const SnapshotParts parts = learnt.snapshot();
  return parts.seen.eras[0].single[label] / parts.seen.eras[0].samples;
}

TEST(Scenes, AreOffByDefault) {
  Camera camera(1);
  camera.watch_both();
  EXPECT_EQ(camera.learnt()->scene().id, 0u);
  EXPECT_TRUE(camera.learnt()->snapshot().scenes.empty());
}

TEST(Scenes, LearnApartAndAreStoredWithTheirSum) {
  Camera camera(8);
  camera.watch_both();
  camera.watch_day(50);
  const auto state = camera.learnt()->scene();
  EXPECT_EQ(state.id, 1u);
  EXPECT_EQ(state.count, 2u);
  EXPECT_EQ(state.changes, 2u);
  EXPECT_EQ(camera.samples(), 350);

  const SnapshotParts saved = camera.learnt()->snapshot();
  ASSERT_EQ(saved.scenes.size(), 2u);
  EXPECT_EQ(saved.seen.eras[0].samples, 350);
  double samples = 0;
  for (const StoredScene& each : saved.scenes) samples += each.learnt->seen().samples();
  EXPECT_EQ(samples, 350);
  const auto c = [&](std::size_t i) {
    const adapt::Cooccurrence& seen = saved.scenes[i].learnt->seen();
    return seen.single()[2] / seen.samples();
  };
  EXPECT_GT(c(1), 0.8);
  EXPECT_LT(c(0), 0.4);  // with the frames that came before the change was noticed

  // With scenes off, everything is one prior: the sum is the same.
  Camera one(1);
  one.watch_both();
  one.watch_day(50);
  EXPECT_NEAR(share(*one.learnt(), 2), share(*camera.learnt(), 2), 1e-12);
}

TEST(Scenes, ASleepingSceneForgetsNothing) {
  tag::TagSettings settings = kPaper;
  settings.adapter.bcp.half_life = 20;
  Camera camera(8);
  const auto watch = [&](const Frame& frame) { camera.see(frame, settings); };
  for (int i = 0; i < 150; ++i) watch(camera.light.day());
  for (int i = 0; i < 150; ++i) watch(camera.light.night());
  ASSERT_EQ(camera.learnt()->scene().count, 2u);
  const adapt::Cooccurrence before = camera.learnt()->snapshot().scenes[0].learnt->seen();
  for (int i = 0; i < 500; ++i) watch(camera.light.night());
  const adapt::Cooccurrence after = camera.learnt()->snapshot().scenes[0].learnt->seen();
  EXPECT_EQ(after.parts(), before.parts());
  EXPECT_GT(after.samples(), 20);
}

TEST(Scenes, ANewSceneStartsFromTheOthers) {
  Camera camera(8);
  camera.watch_both();
  ASSERT_EQ(camera.learnt()->scene().id, 2u);
  tag::Outcome outcome;
  ASSERT_TRUE(camera.look(camera.light.night(), kPaper, outcome));
  const double own = camera.learnt()->snapshot().scenes[1].learnt->seen().samples();
  EXPECT_GT(outcome.scores.samples, own + 5);
  EXPECT_LE(outcome.scores.samples, 300 + 1e-9);
}

TEST(Scenes, ARestartedCameraPicksTheNight) {
  const Folder folder;
  {
    Camera camera(8);
    ASSERT_TRUE(camera.open_file(folder.file("a.prior")));
    camera.watch_both();
    camera.watch_day(20);
    ASSERT_EQ(camera.learnt()->scene().id, 1u);
    camera.save();
  }
  Camera camera(8);
  const auto opened = camera.open_file(folder.file("a.prior"));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->loaded->samples, 320);
  EXPECT_EQ(camera.samples(), 320);
  EXPECT_EQ(camera.learnt()->scene().count, 2u);
  EXPECT_EQ(camera.learnt()->scene().id, 1u);
  camera.watch_night(2);
  EXPECT_EQ(camera.learnt()->scene().id, 2u);
  EXPECT_EQ(camera.samples(), 322);
  // Saved again: nothing counts twice.
  camera.save();
  const auto again = load_snapshot(folder.file("a.prior"));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->seen.samples(), 322);
  EXPECT_EQ(again->scenes.size(), 2u);

  // Without scenes the same file is one prior.
  Camera one(1);
  ASSERT_TRUE(one.open_file(folder.file("a.prior"), PriorMode::kReadOnly));
  EXPECT_EQ(one.samples(), 322);
}

TEST(Scenes, OneSceneIsStoredWithItsMean) {
  const Folder folder;
  {
    Camera camera(8);
    ASSERT_TRUE(camera.open_file(folder.file("a.prior")));
    camera.watch_day(150);
    camera.save();
  }
  Camera camera(8);
  ASSERT_TRUE(camera.open_file(folder.file("a.prior")));
  EXPECT_EQ(camera.samples(), 150);
  camera.watch_night(120);
  EXPECT_EQ(camera.learnt()->scene().count, 2u);
}

// A file of an older version, or of a camera without scenes.
TEST(Scenes, AFileWithoutScenesIsTheFirstScene) {
  const Folder folder;
  {
    Camera camera(1);
    ASSERT_TRUE(camera.open_file(folder.file("a.prior")));
    camera.watch_day(150);
    camera.save();
  }
  Camera camera(8);
  ASSERT_TRUE(camera.open_file(folder.file("a.prior")));
  EXPECT_EQ(camera.samples(), 150);
  camera.watch_both();
  EXPECT_EQ(camera.samples(), 450);
  EXPECT_EQ(camera.learnt()->scene().count, 2u);
}

TEST(Scenes, AboveTheLimitTheOldestIsMerged) {
  Camera camera(2, {"a", "b", "c"});
  camera.watch_both();
  ASSERT_EQ(camera.learnt()->scene().count, 2u);
  for (int i = 0; i < 200; ++i) {
    Frame frame = camera.light.night();
    frame[1] = -1;  // elsewhere
    float square = 0;
    for (const float x : frame) square += x * x;
    for (float& x : frame) x /= std::sqrt(square);
    camera.see(frame);
  }
  EXPECT_EQ(camera.learnt()->scene().id, 3u);
  EXPECT_EQ(camera.learnt()->scene().count, 2u);
  EXPECT_EQ(camera.samples(), 500);
  EXPECT_EQ(camera.learnt()->snapshot().seen.eras[0].samples, 500);
}

TEST(Scenes, ForgetClearsAllOfThem) {
  Camera camera(8);
  camera.watch_both();
  camera.forget();
  EXPECT_EQ(camera.samples(), 0);
  EXPECT_EQ(camera.learnt()->scene().count, 1u);
  tag::Outcome outcome;
  ASSERT_TRUE(camera.look(camera.light.day(), kPaper, outcome));
  EXPECT_EQ(outcome.scores.samples, 0);
}

TEST(Scenes, FollowAChangeOfLabels) {
  Camera camera(8);
  camera.watch_both();
  camera.relabel(test::labels({"c", "d"}));
  EXPECT_EQ(camera.learnt()->scene().count, 2u);
  EXPECT_EQ(camera.learnt()->scene().id, 2u);
  EXPECT_EQ(camera.samples(), 300);
  camera.watch_day(3);
  EXPECT_EQ(camera.learnt()->scene().id, 1u);
  const SnapshotParts saved = camera.learnt()->snapshot();
  EXPECT_EQ(saved.labels, (Names{"c", "d"}));
  EXPECT_EQ(saved.scenes[0].learnt->seen().labels(), 2u);
}

TEST(Scenes, FeedbackBelongsToAllOfThem) {
  Camera camera(8);
  camera.watch_day(150);
  ASSERT_TRUE(camera.teach(camera.light.day(), 0, true, false));
  camera.watch_night(150);
  ASSERT_EQ(camera.learnt()->scene().id, 2u);
  EXPECT_EQ(camera.learnt()->taught().statements(), 1u);
}

// Truncated at every byte, and every byte changed: refused, or read as something sound.
TEST(Scenes, DamagedBytesAreRefused) {
  Camera camera(8);
  camera.watch_both();
  const std::vector<StoredScene> scenes = camera.learnt()->snapshot().scenes;
  const Names labels = camera.learnt()->labels();
  const std::string bytes = encode_scenes(scenes, labels);
  ASSERT_TRUE(decode_scenes(bytes, labels));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(decode_scenes(bytes.substr(0, length), labels)) << length;
  EXPECT_FALSE(decode_scenes(bytes + '\0', labels));
  EXPECT_FALSE(decode_scenes(bytes, {"a", "b", "d"}));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 0xFF);
    const auto read = decode_scenes(other, labels);
    if (!read) continue;
    EXPECT_EQ(read->size(), 2u);
    for (const StoredScene& each : *read)
      for (const float x : each.scene.mean) EXPECT_LE(std::abs(x), 1.01f);
  }
}

// A scene inside a scene could be nested without end.
TEST(Scenes, ASceneHasNoScenes) {
  Camera camera(8);
  camera.watch_day(150);
  SnapshotParts parts = camera.learnt()->snapshot();
  ASSERT_EQ(parts.scenes.size(), 1u);
  const std::string bytes = encode_snapshot(parts);
  EXPECT_TRUE(decode_snapshot(bytes));
  EXPECT_FALSE(decode_snapshot(bytes, SnapshotKind::kScene));
}

// Many labels: the sum of the sleeping scenes is made by another thread, and frames go on.
TEST(Scenes, WorkWithManyLabels) {
  Names names;
  for (int i = 0; i < 3000; ++i) names.push_back("label " + std::to_string(i));
  for (const std::size_t count : {std::size_t{600}, std::size_t{2100}}) {
    const Names some(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count));
    Learnt learnt(some);
    learnt.set_scenes(8);
    std::mt19937 random(1);
    std::vector<double> logits(count);
    adapt::Scores scores;
    Light light;
    for (int t = 0; t < 200; ++t) {
      for (double& x : logits) x = static_cast<double>(random() % 100) / 100;
      logits[random() % count] = 15;
      ASSERT_TRUE(learnt.tag(logits, kPaper.adapter.bcp, scores, [] { return true; }));
      learnt.follow(t < 100 ? light.day() : light.night(), {});
    }
    EXPECT_EQ(learnt.scene().count, 2u);
    EXPECT_EQ(learnt.samples(), 200);
    const auto read = decode_snapshot(encode_snapshot(learnt.snapshot()));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_NEAR(read->seen.samples(), 200, 1e-9);
    for (int i = 0; i < 1000 && scores.samples < 150; ++i) {
      ASSERT_TRUE(learnt.correct(logits, kPaper.adapter.bcp, scores));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_GT(scores.samples, 150);  // with the base
  }
}

}  // namespace
}  // namespace bcp::prior
