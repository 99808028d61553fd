// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How much the other scenes count, by what the frames show; and what it means that they count.

#include "adapt/scene_share.hpp"

#include <gtest/gtest.h>

#include <random>

#include "adapt/bcp.hpp"
#include "adapt/habits.hpp"

namespace bcp::adapt {
namespace {

constexpr std::size_t kLabels = 12;
using Numbers = std::vector<double>;

// Four topics of three labels; `step` chooses which labels are one topic.
class World {
 public:
  explicit World(unsigned seed, std::size_t step) : random_(seed), step_(step) {}
  Numbers logits() {
    Numbers s(kLabels);
    for (double& x : s) x = bell_(random_);
    const std::size_t topic = random_() % 4;
    for (std::size_t i = 0; i < 3; ++i) s[label(topic, i)] += i == random_() % 3 ? 6 : 3;
    return s;
  }
  Numbers frame() {
    Scores scores;
    const Numbers s = logits();
    EXPECT_TRUE(Bcp(kLabels).correct(s, {}, scores));
    return scores.zero_shot_probability;
  }
  void show(Cooccurrence& seen, int frames) {
    for (int i = 0; i < frames; ++i) seen.learn(frame(), 1);
  }

 private:
  std::size_t label(std::size_t topic, std::size_t i) const { return step_ == 1 ? 3 * topic + i : topic + 4 * i; }
  std::mt19937 random_;
  std::size_t step_;
  std::normal_distribution<double> bell_{0, 1};
};

// Of the others after some frames of a scene.
double share_after(SceneShare& share, World& world, Cooccurrence& own, const Cooccurrence& others, int frames) {
  for (int i = 0; i < frames; ++i) {
    const Numbers p = world.frame();
    share.observe(p, own, others);
    own.learn(p, 1);
  }
  return share.share(others.samples());
}

TEST(SceneShare, StartsAsOnePrior) {
  EXPECT_EQ(SceneShare().share(5), 1);
  EXPECT_GT(SceneShare().share(3000), 0.8);
}

TEST(SceneShare, IsOnePriorWhereScenesAreAlike) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Cooccurrence own(kLabels), others(kLabels);
    World(seed + 100, 1).show(others, 2000);
    World world(seed, 1);
    SceneShare share;
    EXPECT_GT(share_after(share, world, own, others, 600), 0.8) << seed;
  }
}

// Each label was the likeliest a few times only, and its companions are chance.
TEST(SceneShare, IsOnePriorWhereLittleIsKnown) {
  constexpr std::size_t kMany = 80;
  std::mt19937 random(3);
  const auto frame = [&] {
    Numbers logits(kMany);
    for (double& x : logits) x = static_cast<double>(random() % 100) / 50;
    for (int i = 0; i < 5; ++i) logits[random() % 50] = 12 + i;
    logits[random() % 50] = 18;
    Scores scores;
    EXPECT_TRUE(Bcp(kMany).correct(logits, {}, scores));
    return scores.zero_shot_probability;
  };
  Cooccurrence own(kMany), others(kMany);
  for (int i = 0; i < 190; ++i) others.learn(frame(), 1);
  SceneShare share;
  for (int i = 0; i < 110; ++i) {
    const Numbers p = frame();
    share.observe(p, own, others);
    own.learn(p, 1);
  }
  EXPECT_GT(share.share(others.samples()), 0.8);
}

TEST(SceneShare, IsSmallWhereLabelsHaveOtherCompanions) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Cooccurrence own(kLabels), others(kLabels);
    World(seed + 100, 2).show(others, 2000);
    World world(seed, 1);
    SceneShare share;
    const double after = share_after(share, world, own, others, 150);
    EXPECT_LT(after * others.samples(), 110) << seed;
    // And back, if the others turn out to be alike.
    Cooccurrence alike(kLabels);
    World(seed + 200, 1).show(alike, 2000);
    EXPECT_GT(share_after(share, world, own, alike, 3000), 0.5) << seed;
  }
}

TEST(SceneShare, IgnoresFramesThatSayNothing) {
  Cooccurrence own(kLabels), others(kLabels), empty(kLabels);
  World world(1, 1);
  world.show(own, 50);
  World(2, 2).show(others, 50);
  SceneShare share;
  const double before = share.share(50);
  Numbers certain(kLabels, 0.0);
  certain[3] = 1;
  share.observe(certain, own, others);
  share.observe(world.frame(), empty, others);
  share.observe(world.frame(), own, empty);
  EXPECT_EQ(share.share(50), before);
  Cooccurrence one(1), other(1);
  one.learn(Numbers{1}, 1);
  other.learn(Numbers{1}, 1);
  share.observe(Numbers{1}, one, other);
  EXPECT_EQ(share.share(50), before);
}

// Two halves of a stream, one of them asleep in full: the numbers of one prior.
TEST(SceneShare, InFullIsOnePrior) {
  World world(1, 1), other(2, 2);
  Cooccurrence whole(kLabels);
  Bcp own(kLabels);
  Others asleep{Cooccurrence(kLabels)};
  for (int i = 0; i < 200; ++i) {
    const Numbers day = world.logits();
    Scores scores;
    ASSERT_TRUE(own.correct(day, {}, scores));
    ASSERT_TRUE(own.learn(day, {}));
    whole.learn(scores.zero_shot_probability, 1);
    const Numbers night = other.frame();
    asleep.seen.learn(night, 1);
    whole.learn(night, 1);
  }
  Bcp one(whole);
  Scores of_scenes, of_one;
  for (const int anchors : {0, 1}) {
    const BcpSettings settings{.anchor_confidence = 0, .anchors = anchors, .shrinkage = anchors ? 0.0 : 2.0};
    const Numbers frame = world.logits();
    ASSERT_TRUE(own.correct(frame, settings, of_scenes, {.asleep = &asleep, .share = 1}));
    ASSERT_TRUE(one.correct(frame, settings, of_one));
    EXPECT_NEAR(of_scenes.samples, of_one.samples, 1e-9);
    for (std::size_t k = 0; k < kLabels; ++k) EXPECT_NEAR(of_scenes.corrected[k], of_one.corrected[k], 1e-9);
  }
  Numbers shift(kLabels), expected(kLabels);
  Habits().shift(own.seen(), of_one.zero_shot_probability, 1, shift, {.asleep = &asleep, .share = 1});
  Habits().shift(whole, of_one.zero_shot_probability, 1, expected);
  for (std::size_t k = 0; k < kLabels; ++k) EXPECT_NEAR(shift[k], expected[k], 1e-9);
}

// A share of every count, next to a base and with labels that were added in between.
TEST(SceneShare, CountsAShareOfEachSample) {
  World world(1, 1);
  std::vector<int> from(kLabels);
  for (std::size_t k = 0; k < kLabels; ++k) from[k] = k < 10 ? static_cast<int>(k) : -1;
  const auto grown = [&](unsigned seed, int frames) {
    Cooccurrence before(10);
    for (int i = 0; i < frames; ++i) {
      Numbers p = world.frame();
      p.resize(10);
      before.learn(p, 1);
    }
    Cooccurrence seen = before.relabelled(from);
    World(seed, 2).show(seen, frames);
    return seen;
  };
  Bcp own(grown(1, 40));
  const Others others{grown(2, 30)}, asleep{grown(3, 50)};
  Cooccurrence sum(kLabels);
  for (int i = 0; i < 4; ++i) {
    sum.add(own.seen());
    sum.add(others.seen);
  }
  sum.add(asleep.seen);
  Bcp whole(sum);
  Scores of_parts, of_sum;
  const BcpSettings settings{.anchor_confidence = 0};  // without shrinkage only ratios count
  const Numbers frame = world.logits();
  ASSERT_TRUE(own.correct(frame, settings, of_parts, {.others = &others, .asleep = &asleep, .share = 0.25}));
  ASSERT_TRUE(whole.correct(frame, settings, of_sum));
  EXPECT_NEAR(of_parts.samples, of_sum.samples / 4, 1e-9);
  for (std::size_t k = 0; k < kLabels; ++k) EXPECT_NEAR(of_parts.corrected[k], of_sum.corrected[k], 1e-6) << k;
}

}  // namespace
}  // namespace bcp::adapt
