// SPDX-License-Identifier: LGPL-2.1-or-later
// Several pictures of one frame at once, compared with each of them alone.

#include "tag/frame_encoder.hpp"

#include <gtest/gtest.h>

#include <random>

#include "clip/model.hpp"

namespace bcp::tag {
namespace {

using image::Coverage;
using image::Rect;

constexpr onnx::SessionOptions kCpu{.provider = onnx::Provider::kCpu, .threads = 1};
constexpr int kWidth = 96, kHeight = 54;
constexpr Rect kTall{11, 3, 20, 50}, kSquare{40, 10, 32, 32}, kWide{5, 31, 90, 17};

// A frame of noise, brighter to the right, so that the toy models see different parts.
struct TestFrame {
  TestFrame() {
    std::mt19937 random(1);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::uint8_t>((random() & 127U) + i / 3 % kWidth + i % 3 * 16);
    }
    format.width = kWidth;
    format.height = kHeight;
  }
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(kWidth * kHeight * 3);
  image::PictureFormat format;
  image::Picture picture{{bytes.data()}, {kWidth * 3}};
};

std::shared_ptr<clip::Model> open(const std::string& name) {
  auto model = clip::Model::open(std::string(BCP_TEST_DATA) + "/bundles/" + name, kCpu);
  EXPECT_TRUE(model) << model.error().message;
  return model ? *model : nullptr;
}

std::vector<float> copy(const Result<std::span<const float>>& embedding) {
  EXPECT_TRUE(embedding) << embedding.error().message;
  return embedding ? std::vector<float>(embedding->begin(), embedding->end()) : std::vector<float>();
}

// The part cut out as a separate frame.
std::vector<float> alone(clip::Model& model, const TestFrame& frame, const Rect& part, Coverage coverage) {
  FrameEncoder encoder(model.images().embedding_size(), model.bundle().tensor);
  image::PictureFormat format = frame.format;
  format.width = part.width;
  format.height = part.height;
  EXPECT_TRUE(encoder.configure(format, coverage));
  encoder.preprocess({{frame.bytes.data() + (part.y * kWidth + part.x) * 3}, {kWidth * 3}});
  return copy(encoder.infer(model.images()));
}

void expect_near(const std::vector<float>& a, const std::vector<float>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6) << what << ", number " << i;
}

class EveryTower : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(FrameEncoder, EveryTower, testing::Values("toy", "toy-fixed"));

TEST_P(EveryTower, GivesPartsTheEmbeddingsTheyHaveAlone) {
  const auto model = open(GetParam());
  ASSERT_TRUE(model);
  const TestFrame frame;
  const std::vector<Rect> parts{kTall, kSquare, kWide};
  for (const Coverage coverage : {Coverage::kCentre, Coverage::kSquash, Coverage::kTiles}) {
    FrameEncoder encoder(model->images().embedding_size(), model->bundle().tensor);
    ASSERT_TRUE(encoder.configure(frame.format, coverage));
    ASSERT_TRUE(encoder.preprocess(frame.picture, true, parts));
    expect_near(copy(encoder.infer(model->images())), alone(*model, frame, whole(frame.format), coverage), "the frame");
    for (std::size_t i = 0; i < parts.size(); ++i) {
      expect_near(copy(encoder.embedding(i + 1)), alone(*model, frame, parts[i], coverage),
                  "part " + std::to_string(i));
    }
  }
}

TEST_P(EveryTower, EncodesPartsWithoutTheirFrame) {
  const auto model = open(GetParam());
  ASSERT_TRUE(model);
  const TestFrame frame;
  FrameEncoder encoder(model->images().embedding_size(), model->bundle().tensor);
  ASSERT_TRUE(encoder.configure(frame.format, Coverage::kCentre));
  ASSERT_TRUE(encoder.preprocess(frame.picture, false, std::vector{kSquare, kTall}));
  EXPECT_EQ(encoder.pictures().count, 2);
  const std::vector<float> first = copy(encoder.infer(model->images())), second = copy(encoder.embedding(1));
  EXPECT_NE(first, second);
  expect_near(first, alone(*model, frame, kSquare, Coverage::kCentre), "the first");
  expect_near(second, alone(*model, frame, kTall, Coverage::kCentre), "the second");
}

TEST_P(EveryTower, TakesMorePicturesThanFitInOneRun) {
  const auto model = open(GetParam());
  ASSERT_TRUE(model);
  const TestFrame frame;
  std::vector<Rect> parts;
  for (int i = 0; i < 40; ++i) parts.push_back({i, i % 20, 17 + i % 5, 30});
  FrameEncoder encoder(model->images().embedding_size(), model->bundle().tensor);
  ASSERT_TRUE(encoder.configure(frame.format, Coverage::kCentre));
  ASSERT_TRUE(encoder.preprocess(frame.picture, true, parts));
  ASSERT_TRUE(encoder.infer(model->images()));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    expect_near(copy(encoder.embedding(i + 1)), alone(*model, frame, parts[i], Coverage::kCentre),
                "part " + std::to_string(i));
  }
}

TEST(FrameEncoder, ForgetsThePartsOfTheFrameBefore) {
  const auto model = open("toy");
  ASSERT_TRUE(model);
  const TestFrame frame;
  FrameEncoder encoder(model->images().embedding_size(), model->bundle().tensor);
  ASSERT_TRUE(encoder.configure(frame.format, Coverage::kCentre));
  ASSERT_TRUE(encoder.preprocess(frame.picture, true, std::vector{kSquare, kTall}));
  ASSERT_TRUE(encoder.infer(model->images()));
  encoder.preprocess(frame.picture);
  EXPECT_EQ(encoder.pictures().count, 1);
  expect_near(copy(encoder.infer(model->images())), alone(*model, frame, whole(frame.format), Coverage::kCentre),
              "the frame");
}

TEST(ClippedPart, IsThePartInsideThePicture) {
  const TestFrame frame;
  const auto clip = [&](const Rect& part) { return image::clip_part(frame.format, part); };
  EXPECT_EQ(clip({10, 5, 30, 20}), (Rect{10, 5, 30, 20}));
  EXPECT_EQ(clip({-10, -5, 30, 25}), (Rect{0, 0, 20, 20}));
  EXPECT_EQ(clip({80, 38, 4000, 4000}), (Rect{80, 38, 16, 16}));
  EXPECT_EQ(clip({-100, -100, 2147483647, 2147483647}), (Rect{0, 0, kWidth, kHeight}));
  EXPECT_EQ(clip({2147483647, 2147483647, 2147483647, 2147483647}), std::nullopt);
  EXPECT_EQ(clip({81, 38, 4000, 4000}), std::nullopt);  // 15 columns are left
  EXPECT_EQ(clip({0, 0, 15, 40}), std::nullopt);
  EXPECT_EQ(clip({0, 0, 40, -40}), std::nullopt);
  EXPECT_EQ(clip({-40, 0, 40, 40}), std::nullopt);
}

}  // namespace
}  // namespace bcp::tag
