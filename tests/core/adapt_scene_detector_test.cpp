// SPDX-License-Identifier: LGPL-2.1-or-later
//
// When a stream enters another scene: clear and gradual changes, returns, and what must not count as a change.

#include "adapt/scene_detector.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace bcp::adapt {
namespace {

using Embedding = std::vector<float>;
constexpr std::size_t kNumbers = 32;

Embedding unit(Embedding v) {
  double square = 0;
  for (const float x : v) square += static_cast<double>(x) * static_cast<double>(x);
  for (float& x : v) x = static_cast<float>(static_cast<double>(x) / std::sqrt(square));
  return v;
}

// Pictures of a camera: the same place with some noise.
class Camera {
 public:
  explicit Camera(unsigned seed = 1, float noise = 0.3f) : random_(seed), noise_(noise) {}
  Embedding place(int number) {
    Embedding v(kNumbers, 0.0f);
    v[0] = 1;  // all pictures of a model have something in common
    v[static_cast<std::size_t>(number)] += 0.7f;
    for (float& x : v) x += noise_ / std::sqrt(float{kNumbers}) * bell_(random_);
    return unit(v);
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<float> bell_{0, 1};
  float noise_;
};

// Follows every change, as Scenes does, and makes no room.
struct Follower {
  SceneDetector detector = {};
  int changes = 0;
  std::vector<std::uint32_t> ids = {};
  std::optional<double> time = {};
  double step = 10;

  void see(const Embedding& embedding) {
    const auto scene = detector.observe(embedding, time);
    if (time) *time += step;
    if (!scene) return;
    if (*scene == detector.scenes().size()) detector.add();
    detector.enter(*scene);
    ++changes;
    ids.push_back(detector.scenes()[detector.active()].id);
  }
  void see(Camera& camera, int place, int frames) {
    for (int i = 0; i < frames; ++i) see(camera.place(place));
  }
};

TEST(SceneDetector, FindsANewSceneAndReturns) {
  Camera camera;
  Follower follower;
  follower.see(camera, 1, 150);
  EXPECT_EQ(follower.changes, 0);
  follower.see(camera, 2, 150);
  EXPECT_EQ(follower.ids, (std::vector<std::uint32_t>{2}));
  for (int day = 0; day < 3; ++day) {
    follower.see(camera, 1, 3);  // two frames are enough for a clear difference
    EXPECT_EQ(follower.ids.back(), 1u);
    follower.see(camera, 2, 3);
    EXPECT_EQ(follower.ids.back(), 2u);
  }
  EXPECT_EQ(follower.changes, 7);
  EXPECT_EQ(follower.detector.scenes().size(), 2u);
}

TEST(SceneDetector, NeedsTimeForANewScene) {
  Camera camera;
  Follower quick{.time = 0.0, .step = 0.5}, slow{.time = 0.0, .step = 5};
  for (Follower* each : {&quick, &slow}) {
    each->see(camera, 1, 150);
    each->see(camera, 2, 100);  // 50 s or 500 s
    each->see(camera, 1, 100);
  }
  EXPECT_EQ(quick.changes, 0);
  EXPECT_EQ(slow.changes, 2);
}

TEST(SceneDetector, TimeThatRunsBackwardsStartsTheWaitAgain) {
  Camera camera;
  Follower follower{.time = 1000.0, .step = 1};
  follower.see(camera, 1, 150);
  follower.see(camera, 2, 90);
  follower.time = 0;  // another segment
  follower.see(camera, 2, 100);
  EXPECT_EQ(follower.changes, 0);
  follower.see(camera, 2, 40);
  EXPECT_EQ(follower.changes, 1);
}

TEST(SceneDetector, KeepsTheSceneWhilePeopleWalkThrough) {
  std::mt19937 random(3);
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Camera camera(seed);
    Follower follower;
    for (int visit = 0; visit < 40; ++visit) {
      follower.see(camera, 1, 30);
      follower.see(camera, 2 + visit % 5, 1 + static_cast<int>(random() % 25));
    }
    EXPECT_EQ(follower.changes, 0) << seed;
  }
}

TEST(SceneDetector, KeepsTheSceneInAFilm) {
  std::mt19937 random(4);
  Camera camera;
  Follower follower;
  for (int shot = 0; shot < 300; ++shot)
    follower.see(camera, 1 + static_cast<int>(random() % 30), 1 + static_cast<int>(random() % 12));
  EXPECT_EQ(follower.changes, 0);
}

// The light of an evening.
TEST(SceneDetector, FollowsAGradualChange) {
  Camera camera;
  Follower follower;
  follower.see(camera, 1, 200);
  for (int i = 0; i < 100; ++i) {
    Embedding mixed = camera.place(1);
    const Embedding later = camera.place(2);
    for (std::size_t x = 0; x < kNumbers; ++x) mixed[x] += static_cast<float>(i) / 100 * (later[x] - mixed[x]);
    follower.see(unit(mixed));
  }
  follower.see(camera, 2, 100);
  EXPECT_GE(follower.changes, 1);
  EXPECT_LE(follower.detector.scenes().size(), 3u);
  const std::uint32_t night = follower.ids.back();
  follower.see(camera, 1, 10);
  EXPECT_NE(follower.ids.back(), night);
}

TEST(SceneDetector, AStreamBeginsInTheNearestScene) {
  Camera camera;
  Follower follower;
  follower.see(camera, 1, 150);
  follower.see(camera, 2, 150);
  follower.see(camera, 1, 50);
  SceneDetector restarted({follower.detector.scenes().begin(), follower.detector.scenes().end()},
                          follower.detector.active());
  EXPECT_EQ(restarted.observe(camera.place(2), {}), std::optional<std::size_t>(1));
  follower.detector.restart();
  EXPECT_EQ(follower.detector.observe(camera.place(2), {}), std::optional<std::size_t>(1));
}

// Reconnected in another place: the first frames must not count as the usual change of the old one.
TEST(SceneDetector, AStreamMayBeginInANewScene) {
  for (const float step : {0.6f, 0.4f, 0.32f}) {
    Camera camera(1, 0.1f);
    Follower follower;
    const auto see = [&](int frames, float towards) {
      for (int i = 0; i < frames; ++i) {
        Embedding frame = camera.place(1);
        frame[2] += towards;
        frame[3] += 0.12f * std::sin(static_cast<float>(i) / 20);  // something that comes and goes
        follower.see(unit(frame));
      }
    };
    see(700, 0);
    follower.detector.restart();
    see(150, step);
    EXPECT_EQ(follower.ids, (std::vector<std::uint32_t>{2})) << step;
  }
}

TEST(SceneDetector, EmbeddingsOfAnotherSizeAreNotCompared) {
  Camera camera;
  Follower follower;
  follower.see(camera, 1, 150);
  follower.see(camera, 2, 150);
  EXPECT_FALSE(follower.detector.observe(Embedding{1, 0, 0}, {}));
  EXPECT_EQ(follower.detector.scenes()[1].mean.size(), 3u);
}

TEST(SceneDetector, MergesTheSceneLeftFirstIntoTheNearest) {
  Camera camera;
  Follower follower;
  for (const int place : {1, 2, 3}) follower.see(camera, place, 200);
  ASSERT_EQ(follower.detector.scenes().size(), 3u);
  const auto [from, into] = follower.detector.to_merge();
  EXPECT_EQ(from, 0u);
  EXPECT_NE(into, 0u);
  const double samples = follower.detector.scenes()[from].samples + follower.detector.scenes()[into].samples;
  follower.detector.merge(from, into);
  ASSERT_EQ(follower.detector.scenes().size(), 2u);
  EXPECT_EQ(follower.detector.active(), 1u);
  EXPECT_EQ(follower.detector.scenes()[into - 1].samples, samples);
}

}  // namespace
}  // namespace bcp::adapt
