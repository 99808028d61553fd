// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "common/temporary.hpp"
#include "eval/dwell.hpp"
#include "eval/method.hpp"

namespace bcp::eval {
namespace {

class Dwell : public testing::Test {
 protected:
  std::string file(const std::string& name, std::vector<float> values, std::vector<std::size_t> shape) {
    EXPECT_TRUE(write_npy(directory_ / name, values, shape));
    return directory_ / name;
  }
  // Two orthogonal pictures of 256 numbers, and a label that looks like each.
  Stream embeddings() {
    std::vector<float> axes(2 * 256, 0);
    axes[0] = axes[256 + 1] = 1;
    const std::string path = file("axes.npy", axes, {2, 256});
    return std::move(*Stream::open({.embeddings = path, .text = path, .scale = 10}));
  }
  test::TemporaryDirectory directory_;
};

double cosine(std::span<const float> x, std::span<const float> y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

TEST(Random, DrawsTheSameOnEveryMachine) {
  Random random(1);
  // From an implementation of the engine in Python.
  EXPECT_EQ(random.below(1000), 528u);
  EXPECT_EQ(random.uniform(), 0.13640703636619722);
  EXPECT_DOUBLE_EQ(random.bell(), 0.04003993185077407);
}

TEST(Random, BellHasMean0AndVariance1) {
  Random random(3);
  double sum = 0, squares = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.bell();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.02);
  EXPECT_NEAR(squares / kDraws, 1, 0.02);
}

TEST(Shots, HaveTheLengthsOfTheSettingsAndAreMostlyShort) {
  const std::vector<Shot> shots = draw_shots(5000, {.shots = 20'000, .longest = 300});
  ASSERT_EQ(shots.size(), 20'000u);
  std::size_t short_ones = 0, ones = 0, longest = 0;
  for (const Shot& shot : shots) {
    ASSERT_GE(shot.frames, 1u);
    ASSERT_LE(shot.frames, 300u);
    ASSERT_LT(shot.picture, 5000u);
    ASSERT_GE(shot.change, 0.05);
    ASSERT_LE(shot.change, 0.6);
    ones += shot.frames == 1;
    short_ones += shot.frames <= 16;
    longest = std::max<std::size_t>(longest, shot.frames);
  }
  // Below n with probability log(n) / log(301).
  EXPECT_NEAR(static_cast<double>(ones) / 20'000, std::log(2) / std::log(301), 0.01);
  EXPECT_NEAR(static_cast<double>(short_ones) / 20'000, std::log(17) / std::log(301), 0.015);
  EXPECT_GT(longest, 290u);
}

TEST(Shots, ShowEveryPictureOnceBeforeRepeatingExceptForReturns) {
  const std::vector<Shot> once = draw_shots(100, {.shots = 100, .revisit = 0});
  std::set<std::uint32_t> pictures;
  for (const Shot& shot : once) pictures.insert(shot.picture);
  EXPECT_EQ(pictures.size(), 100u);

  const std::vector<Shot> back = draw_shots(100'000, {.shots = 10'000, .revisit = 0.2});
  pictures.clear();
  for (std::size_t i = 0; i < back.size(); ++i) {
    pictures.insert(back[i].picture);
    if (i > 0) {
      EXPECT_NE(back[i].picture, back[i - 1].picture);
    }
  }
  EXPECT_NEAR(static_cast<double>(pictures.size()), 8000, 200);
}

TEST(Shots, DependOnlyOnTheSeed) {
  EXPECT_EQ(draw_shots(100, {.shots = 50, .seed = 7}), draw_shots(100, {.shots = 50, .seed = 7}));
  EXPECT_NE(draw_shots(100, {.shots = 50, .seed = 7}), draw_shots(100, {.shots = 50, .seed = 8}));
  EXPECT_EQ(draw_shots(1, {.shots = 3}).size(), 3u) << "one picture is enough";
}

TEST_F(Dwell, WithoutChangeEveryFrameIsThePicture) {
  Stream stream = embeddings();
  const std::vector<Shot> shots = {{0, 3, 0}, {1, 1, 0}, {0, 2, 0}};
  DwellStream video(stream, shots, {.frame_rate = 4});
  const std::vector<std::size_t> places = {0, 0, 0, 1, 2, 2}, numbers = {0, 1, 2, 0, 0, 1};
  for (std::size_t i = 0; i < 6; ++i) {
    const Result<const DwellStream::Frame*> frame = video.next();
    ASSERT_TRUE(frame);
    ASSERT_NE(*frame, nullptr);
    EXPECT_EQ((*frame)->shot, places[i]);
    EXPECT_EQ((*frame)->number, numbers[i]);
    EXPECT_DOUBLE_EQ((*frame)->time, static_cast<double>(i) / 4);
    EXPECT_EQ((*frame)->sample.logits[0], shots[places[i]].picture == 0 ? 10 : 0);
  }
  EXPECT_EQ(*video.next(), nullptr);
  EXPECT_EQ(*video.next(), nullptr);
}

TEST_F(Dwell, FramesHaveTheDistancesOfTheSettings) {
  Stream stream = embeddings();
  const double change = 0.4, memory = 0.8;
  const std::vector<Shot> shots = {{0, 2000, change}};
  DwellStream video(stream, shots, {.memory = memory});
  const Result<Sample> sample = stream.sample(0);
  const std::vector<float> picture(sample->embedding.begin(), sample->embedding.end());
  std::vector<float> last;
  double to_picture = 0, to_last = 0;
  while (const DwellStream::Frame* frame = *video.next()) {
    const std::span<const float> embedding = frame->sample.embedding;
    EXPECT_NEAR(cosine(embedding, embedding), 1, 1e-5);
    EXPECT_NEAR(frame->sample.logits[0], 10 * static_cast<double>(embedding[0]), 1e-4) << "logits follow";
    EXPECT_NEAR(frame->sample.logits[1], 10 * static_cast<double>(embedding[1]), 1e-4);
    to_picture += cosine(embedding, picture) / 2000;
    if (!last.empty()) to_last += cosine(embedding, last) / 1999;
    last.assign(embedding.begin(), embedding.end());
  }
  const double squared = change * change;
  EXPECT_NEAR(to_picture, 1 / std::sqrt(1 + squared), 0.003);
  EXPECT_NEAR(1 - to_last, squared * (1 - memory) / (1 + squared), 0.003);
}

TEST_F(Dwell, ChangesLogitsWithoutEmbeddings) {
  Stream stream = std::move(*Stream::open({.logits = file("l.npy", {1, 2, 3, 4}, {2, 2})}));
  const std::vector<Shot> shots = {{1, 4000, 0.5}};
  DwellStream video(stream, shots, {.memory = 0.5, .logit_change = 4});
  double sum = 0, squares = 0;
  while (const DwellStream::Frame* frame = *video.next()) {
    EXPECT_TRUE(frame->sample.embedding.empty());
    sum += frame->sample.logits[1] / 4000;
    squares += std::pow(frame->sample.logits[1] - 4, 2) / 4000;
  }
  EXPECT_NEAR(sum, 4, 0.2);
  EXPECT_NEAR(std::sqrt(squares), 2, 0.2);
}

TEST_F(Dwell, AShotDoesNotDependOnEarlierShots) {
  Stream stream = embeddings();
  std::vector<Shot> shots = {{0, 5, 0.3}, {1, 1, 0.3}};
  const auto last_logit = [&] {
    DwellStream video(stream, shots, {});
    double logit = 0;
    while (const DwellStream::Frame* frame = *video.next()) logit = frame->sample.logits[1];
    return logit;
  };
  const double before = last_logit();
  EXPECT_EQ(last_logit(), before);
  shots[0].frames = 50;
  EXPECT_EQ(last_logit(), before);
}

// Labels 0 and 1 occur together in nine pictures, labels 0 and 2 in one that is shown for five minutes.
TEST_F(Dwell, WithoutTheGateCountsTimeAndWithItPictures) {
  constexpr std::size_t kPictures = 10, kWidth = 16;
  std::vector<float> logits, axes(kPictures * kWidth, 0);
  std::vector<Shot> shots;
  for (std::uint32_t i = 0; i < kPictures; ++i) {
    const bool odd = i == 4;
    for (const float logit : {6.f, odd ? 0.f : 6.f, odd ? 6.f : 0.f}) logits.push_back(logit);
    axes[i * kWidth + i] = 1;
    shots.push_back({i, odd ? 3000u : 30u, 0});
  }
  Stream stream = std::move(*Stream::open(
      {.logits = file("l.npy", logits, {kPictures, 3}), .embeddings = file("v.npy", axes, {kPictures, kWidth})}));
  const auto learn = [&](double distance) {
    const Method method{"bcp", "", MethodKind::kBcp, {.bcp = {}, .novelty = {.distance = distance}}};
    const std::unique_ptr<Adapter> adapter = std::move(*Adapter::make(method, stream.text()));
    DwellStream video(stream, shots, {});
    adapt::Scores scores;
    while (const DwellStream::Frame* frame = *video.next())
      EXPECT_TRUE(adapter->adapt(frame->sample, frame->time, scores));
    EXPECT_EQ(adapter->learnt(), distance > 0 ? kPictures : 3270u);
    return *adapter->seen();
  };
  const adapt::Cooccurrence ungated = learn(0), gated = learn(0.05);
  EXPECT_GT(ungated.pair(2, 0), 5 * ungated.pair(1, 0));
  EXPECT_GT(gated.pair(1, 0), 5 * gated.pair(2, 0));
}

}  // namespace
}  // namespace bcp::eval
