// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Scenes beside one prior: the same where the worlds are alike, better where they differ; and what a file keeps of it.

#include <gtest/gtest.h>

#include <cmath>

#include "prior_scenes_support.hpp"

namespace bcp::prior {
namespace {

using namespace scenes_test;

constexpr std::size_t kLabels = 12;

Names names() {
  Names names;
  for (std::size_t k = 0; k < kLabels; ++k) names.push_back("label " + std::to_string(k));
  return names;
}

struct Picture {
  std::vector<double> logits;
  std::size_t topic;
  bool by_night;
};

// Topics of three labels: others by night, unless both are alike.
class Worlds {
 public:
  explicit Worlds(bool are_alike) : are_alike_(are_alike) {}
  Picture picture(bool by_night) {
    Picture picture{std::vector<double>(kLabels), random_() % 4, by_night};
    for (double& x : picture.logits) x = bell_(random_);
    const std::size_t main = random_() % 3;
    for (std::size_t i = 0; i < 3; ++i) picture.logits[label(picture, i)] += i == main ? 6 : 3;
    return picture;
  }
  std::size_t label(const Picture& picture, std::size_t i) const {
    return picture.by_night && !are_alike_ ? picture.topic + 4 * i : 3 * picture.topic + i;
  }
  bool is_of_topic(const Picture& picture, std::size_t k) const {
    return k == label(picture, 0) || k == label(picture, 1) || k == label(picture, 2);
  }

 private:
  bool are_alike_;
  std::mt19937 random_{7};
  std::normal_distribution<double> bell_{0, 1};
};

// Three days and nights of 200 pictures; the corrections of the last one, and how far they raise the labels of the
// topic above the rest.
struct Watched {
  std::vector<double> corrections;
  double raised = 0;
  std::size_t scenes = 0;
};

Watched watch(Learnt& learnt, bool are_alike) {
  Worlds worlds(are_alike);
  Light light;
  Watched result;
  double of_topic = 0, of_rest = 0, topics = 0, rest = 0;
  for (int i = 0; i < 1200; ++i) {
    const bool by_night = i / 200 % 2 == 1;
    const Picture picture = worlds.picture(by_night);
    adapt::Scores scores;
    EXPECT_TRUE(learnt.tag(picture.logits, kPaper.adapter.bcp, scores, [] { return true; }));
    learnt.follow(by_night ? light.night() : light.day(), {});
    for (std::size_t k = 0; i >= 800 && k < kLabels; ++k) {
      result.corrections.push_back(scores.correction[k]);
      if (scores.anchor < 0 || k == static_cast<std::size_t>(scores.anchor)) continue;
      const bool is_of_topic = worlds.is_of_topic(picture, k);
      (is_of_topic ? of_topic : of_rest) += scores.correction[k];
      (is_of_topic ? topics : rest) += 1;
    }
  }
  result.raised = of_topic / topics - of_rest / rest;
  result.scenes = learnt.scene().count;
  return result;
}

Watched watch(std::size_t scenes, bool are_alike) {
  Learnt learnt(names());
  learnt.set_scenes(scenes);
  return watch(learnt, are_alike);
}

TEST(SceneWorlds, AlikeAreCorrectedAsByOnePrior) {
  const Watched one = watch(1, true), scenes = watch(8, true);
  ASSERT_EQ(scenes.scenes, 2u);
  double squares = 0, all = 0;
  for (std::size_t i = 0; i < one.corrections.size(); ++i) {
    squares += std::pow(one.corrections[i] - scenes.corrections[i], 2);
    all += std::pow(one.corrections[i], 2);
  }
  EXPECT_GT(all, 0);
  EXPECT_LT(std::sqrt(squares / all), 0.03);
  EXPECT_NEAR(scenes.raised, one.raised, 0.03);
}

TEST(SceneWorlds, DifferentAreCorrectedApart) {
  const Watched one = watch(1, false), scenes = watch(8, false);
  ASSERT_EQ(scenes.scenes, 2u);
  EXPECT_GT(scenes.raised, one.raised + 0.5);
}

TEST(SceneWorlds, AFileKeepsHowMuchTheOthersCount) {
  Learnt learnt(names());
  learnt.set_scenes(8);
  watch(learnt, false);
  const SnapshotParts parts = learnt.snapshot();
  EXPECT_GT(parts.share.evidence()[0], 10);
  const std::string bytes = encode_snapshot(parts);
  const auto read = decode_snapshot(bytes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->share.evidence(), parts.share.evidence());
  EXPECT_EQ(encode_snapshot(*read), bytes);

  const Picture picture = Worlds(false).picture(true);
  adapt::Scores before, after;
  ASSERT_TRUE(learnt.correct(picture.logits, kPaper.adapter.bcp, before));
  Learnt again(names());
  again.set_scenes(8);
  again.add(*read);
  ASSERT_TRUE(again.correct(picture.logits, kPaper.adapter.bcp, after));
  EXPECT_NEAR(after.samples, before.samples, 1e-6);
  for (std::size_t k = 0; k < kLabels; ++k) EXPECT_NEAR(after.corrected[k], before.corrected[k], 1e-6);
  again.forget();
  EXPECT_EQ(again.snapshot().share.evidence(), adapt::SceneShare().evidence());
}

TEST(SceneWorlds, DamagedEvidenceIsRefused) {
  adapt::SceneShare share;
  EXPECT_EQ(encode_share(share), "");
  share.set_evidence({1, 2, 3, 4, 5});
  const std::string bytes = encode_share(share);
  const auto read = decode_share(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->evidence(), share.evidence());
  for (std::size_t length = 0; length < bytes.size(); ++length) EXPECT_FALSE(decode_share(bytes.substr(0, length)));
  EXPECT_FALSE(decode_share(bytes + '\0'));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 0xFF);
    const auto damaged = decode_share(other);
    if (!damaged) continue;
    for (const double each : damaged->evidence()) EXPECT_LE(std::abs(each), 1e6);
  }
  // Candidates of another version are left out.
  share.set_evidence({9, 9, 9, 9, 9});
  std::string other = encode_share(share);
  other[4] = static_cast<char>(other[4] ^ 1);
  const auto unknown = decode_share(other);
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->evidence(), adapt::SceneShare().evidence());
}

}  // namespace
}  // namespace bcp::prior
