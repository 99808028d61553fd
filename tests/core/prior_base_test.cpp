// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A base: what a stream starts from and outgrows, and what is never stored.

#include <gtest/gtest.h>

#include <fstream>

#include "prior/base.hpp"
#include "prior_scenes_support.hpp"

namespace bcp::prior {
namespace {

using namespace scenes_test;
using test::Stream;

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

std::string base_file(const Folder& folder, int frames, const std::string& model = "model") {
  Camera camera(1);
  camera.watch_day(frames);
  SnapshotParts parts = camera.learnt()->snapshot();
  parts.model = model;
  const std::string path = folder.file("base.prior");
  EXPECT_TRUE(save_snapshot(path, parts));
  return path;
}

TEST(PriorBase, CountsAsALimitedNumberOfSamples) {
  const Folder folder;
  for (const auto& [frames, counts] : {std::pair(40, 40.0), {400, 100.0}}) {
    const std::string path = base_file(folder, frames);
    Camera camera(1);
    const auto base = camera.group()->set_base(path, "");
    ASSERT_TRUE(base);
    EXPECT_EQ((*base)->seen.samples(), frames);
    tag::Outcome outcome;
    ASSERT_TRUE(camera.look(camera.light.day(), kPaper, outcome));
    EXPECT_NEAR(outcome.scores.samples, counts, 1e-9);
    EXPECT_NE(outcome.scores.corrected, outcome.scores.zero_shot);
    // The same ratios as in the file.
    Camera all(1);
    ASSERT_TRUE(all.open_file(path, PriorMode::kReadOnly));
    tag::Outcome expected;
    const Frame frame = camera.light.day();
    ASSERT_TRUE(camera.look(frame, kPaper, outcome));
    ASSERT_TRUE(all.look(frame, kPaper, expected));
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(outcome.scores.corrected[k], expected.scores.corrected[k], 1e-9);
  }
}

TEST(PriorBase, IsNeverStored) {
  const Folder folder;
  const std::string path = base_file(folder, 400);
  for (int start = 1; start <= 3; ++start) {
    Camera camera(1);
    ASSERT_TRUE(camera.group()->set_base(path, folder.file("own.prior")));
    ASSERT_TRUE(camera.open_file(folder.file("own.prior")));
    camera.watch_day(10);
    EXPECT_EQ(camera.samples(), 10 * start);
    camera.save();
    EXPECT_EQ(load_snapshot(folder.file("own.prior"))->seen.samples(), 10 * start);
  }
  EXPECT_EQ(load_snapshot(path)->seen.samples(), 400);
}

TEST(PriorBase, IsMatchedByNameAndFollowsTheLabels) {
  const Folder folder;
  const std::string path = base_file(folder, 400);
  Camera camera(1, {"d", "b"});
  ASSERT_TRUE(camera.group()->set_base(path, ""));
  tag::Outcome outcome;
  camera.relabel(test::labels({"b", "a"}));
  ASSERT_TRUE(camera.look(camera.light.day(), kPaper, outcome));
  EXPECT_NEAR(outcome.scores.samples, 100, 1e-9);
  camera.relabel(test::labels({"d"}));  // not in the base
  ASSERT_TRUE(camera.look(camera.light.day(), kPaper, outcome));
  EXPECT_EQ(outcome.scores.samples, 0);
}

TEST(PriorBase, EverySceneStartsFromIt) {
  const Folder folder;
  const std::string path = base_file(folder, 400);
  Camera camera(8);
  ASSERT_TRUE(camera.group()->set_base(path, ""));
  camera.watch_both();
  ASSERT_EQ(camera.learnt()->scene().id, 2u);
  tag::Outcome outcome;
  ASSERT_TRUE(camera.look(camera.light.night(), kPaper, outcome));
  const double own = camera.learnt()->snapshot().scenes[1].learnt->seen().samples();
  EXPECT_GT(outcome.scores.samples, own + kMostBaseSamples + 5);  // and a share of the day
  camera.forget();
  ASSERT_TRUE(camera.look(camera.light.night(), kPaper, outcome));
  EXPECT_NEAR(outcome.scores.samples, kMostBaseSamples, 1e-6);
}

TEST(PriorBase, IsAddedToWhatOtherMachinesLearnt) {
  const Folder folder;
  Camera camera(1), other(1);
  other.watch_night(30);
  const auto others =
      std::make_shared<adapt::Others>(adapt::Others{adapt::Cooccurrence(other.learnt()->snapshot().seen)});
  ASSERT_TRUE(camera.group()->set_base(base_file(folder, 400), ""));
  EXPECT_EQ(camera.learnt()->set_others(others), nullptr);
  tag::Outcome outcome;
  ASSERT_TRUE(camera.look(camera.light.day(), kPaper, outcome));
  EXPECT_NEAR(outcome.scores.samples, 130, 1e-9);
  EXPECT_EQ(camera.samples(), 30);
  EXPECT_EQ(camera.learnt()->set_others(nullptr), others);
  ASSERT_TRUE(camera.look(camera.light.day(), kPaper, outcome));
  EXPECT_NEAR(outcome.scores.samples, 100, 1e-9);
}

TEST(PriorBase, ErrorsNameTheFileAndTheWayOut) {
  const Folder folder;
  const std::string path = base_file(folder, 20, "another");
  const auto refused = [&](const std::string& from, const std::string& own = "") {
    Camera camera(1);
    const auto base = camera.group()->set_base(from, own);
    EXPECT_FALSE(base);
    return base ? std::string() : base.error().message;
  };
  EXPECT_CONTAINS(refused(path), path + " was learnt with another model");
  EXPECT_CONTAINS(refused(folder.file("none")), "none");
  EXPECT_CONTAINS(refused(folder.file("none")), "set prior-base to a prior file");
  EXPECT_CONTAINS(refused(path, path), "the same file");
  std::ofstream(folder.file("damaged")) << "BCPPRIOR";
  EXPECT_CONTAINS(refused(folder.file("damaged")), "is damaged");
}

TEST(PriorBase, AGroupHasOne) {
  const Folder folder;
  const std::string path = base_file(folder, 20);
  Stream one("base"), two("base");
  ASSERT_TRUE(one.group()->set_base(path, ""));
  const auto again = two.group()->set_base(path, "");
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, nullptr);
  const auto other = two.group()->set_base(folder.file("other"), "");
  ASSERT_FALSE(other);
  EXPECT_CONTAINS(other.error().message, "prior-group=base uses prior-base=" + path);
}

}  // namespace
}  // namespace bcp::prior
