// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is cleared stays cleared, in the scenes of a snapshot too; and what a stream forgets while its file is saved.

#include "prior/clear.hpp"

#include <atomic>
#include <thread>

#include "prior_scenes_support.hpp"

namespace bcp::prior {
namespace {

using scenes_test::Camera;
using scenes_test::Folder;

// The file of a camera with two scenes, cleared by `clear`.
template <typename Clear>
void save_cleared(const std::string& path, Clear&& clear) {
  Camera camera(4);
  ASSERT_TRUE(camera.open_file(path));
  camera.watch_both();
  camera.save();
  Result<Snapshot> snapshot = load_snapshot(path);
  ASSERT_TRUE(snapshot);
  ASSERT_EQ(snapshot->scenes.size(), 2u);
  clear(*snapshot);
  ASSERT_TRUE(save_snapshot(path, *snapshot));
}

TEST(PriorClear, AStreamWithScenesStartsAnew) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  save_cleared(path, [](Snapshot& snapshot) { clear_learnt(snapshot); });
  Camera next(4);
  ASSERT_TRUE(next.open_file(path));
  EXPECT_EQ(next.learnt()->own_samples(), 0);
  EXPECT_EQ(next.learnt()->scene().count, 1u);
}

TEST(PriorClear, ALabelIsClearedInEachScene) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  save_cleared(path, [](Snapshot& snapshot) { clear_learnt(snapshot, 1); });
  const Result<Snapshot> read = load_snapshot(path);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->scenes.size(), 2u);
  const auto expect_only_b_cleared = [](const adapt::Cooccurrence& seen) {
    EXPECT_EQ(seen.single()[1], 0);
    EXPECT_EQ(seen.pair(0, 1), 0);
    EXPECT_GT(seen.single()[0], 0);
    EXPECT_GT(seen.pair(0, 2), 0);
  };
  expect_only_b_cleared(read->seen);
  for (const StoredScene& scene : read->scenes) expect_only_b_cleared(scene.learnt->seen());
}

// The copy for the file is made in pieces on another thread, and forget() comes at every moment of it.
TEST(PriorForget, LosesNothingThatASaveWasRequestedFor) {
  struct Listener final : PriorFile::Listener {
    void saved(const PriorFile&, const PriorFile::Saved& saved) noexcept override {
      EXPECT_TRUE(saved.status);
      samples = saved.samples;
    }
    std::atomic<double> samples = -1;
  } listener;
  test::Names names;
  for (int k = 0; k < 1500; ++k) names.push_back("label " + std::to_string(k));
  const std::vector<double> logits(names.size(), 1.0);
  adapt::BcpSettings settings{.warm_up = false, .half_life = 0};
  adapt::Scores scores;
  const Folder folder;
  const auto file = PriorFile::open(folder.file("a.prior"), PriorMode::kReadWrite, "somebody", "model");
  ASSERT_TRUE(file);
  const auto learnt = std::make_shared<Learnt>(names);
  for (int i = 0; i < 12; ++i) {
    for (int frame = 0; frame < 3; ++frame) ASSERT_TRUE(learnt->tag(logits, settings, scores, [] { return true; }));
    learnt->save(**file, listener);
    std::this_thread::sleep_for(std::chrono::microseconds(400 * i));
    learnt->forget();
    (*file)->finish();
    EXPECT_EQ(listener.samples, 3) << i;
    EXPECT_EQ(learnt->samples(), 0);
  }
}

}  // namespace
}  // namespace bcp::prior
