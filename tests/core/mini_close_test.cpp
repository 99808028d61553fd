// SPDX-License-Identifier: LGPL-2.1-or-later
// What image::Accuracy::kClose changes in the embeddings of real pictures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "clip/model.hpp"
#include "common/ppm.hpp"
#include "tag/frame_encoder.hpp"

namespace bcp::tag {
namespace {

// A fixture, three times as large and smooth between its pixels, as NV12 in BT.601.
class Frame {
 public:
  explicit Frame(const std::string& path) {
    const test::Ppm small(path);
    const std::size_t width = 3 * small.width, height = 3 * small.height;
    format.layout = image::Layout::kYuv;
    format.chroma_step = 2;
    format.width = static_cast<int>(width);
    format.height = static_cast<int>(height);
    bytes_.resize(width * height * 3 / 2);
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x) {
        const double red = at(small, x, y, 0), green = at(small, x, y, 1), blue = at(small, x, y, 2);
        const double luma = 0.299 * red + 0.587 * green + 0.114 * blue;
        bytes_[y * width + x] = byte(16 + luma * 219 / 255);
        if (x % 2 == 1 || y % 2 == 1) continue;
        std::uint8_t* const chroma = &bytes_[width * height + y / 2 * width + x];
        chroma[0] = byte(128 + (blue - luma) / 1.772 * 224 / 255);
        chroma[1] = byte(128 + (red - luma) / 1.402 * 224 / 255);
      }
    const std::uint8_t* const first = bytes_.data();
    const auto stride = static_cast<std::ptrdiff_t>(width);
    picture = {{first, first + width * height, first + width * height + 1}, {stride, stride, stride}};
  }

  image::PictureFormat format;
  image::Picture picture;

 private:
  static std::uint8_t byte(double level) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(level, 0.0, 255.0)));
  }

  static double at(const test::Ppm& small, std::size_t x, std::size_t y, std::size_t channel) {
    const std::size_t left = x / 3, top = y / 3;
    const std::size_t right = std::min(left + 1, small.width - 1), bottom = std::min(top + 1, small.height - 1);
    const double fx = static_cast<double>(x % 3) / 3, fy = static_cast<double>(y % 3) / 3;
    return (small.at(left, top, channel) * (1 - fx) + small.at(right, top, channel) * fx) * (1 - fy) +
           (small.at(left, bottom, channel) * (1 - fx) + small.at(right, bottom, channel) * fx) * fy;
  }

  std::vector<std::uint8_t> bytes_;
};

std::vector<float> embedding(clip::Model& model, const Frame& frame, const std::string& precision) {
  FrameEncoder encoder(model.images().embedding_size(), input_for(model.bundle().tensor, precision));
  EXPECT_TRUE(encoder.configure(frame.format, image::Coverage::kCentre));
  encoder.preprocess(frame.picture);
  const auto made = encoder.infer(model.images());
  EXPECT_TRUE(made) << made.error().message;
  return made ? std::vector<float>(made->begin(), made->end()) : std::vector<float>();
}

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

TEST(ClosePreparation, GivesTheEmbeddingsOfTheExactOne) {
  const auto model = clip::Model::open(std::string(BCP_MODELS) + "/" + clip::kBundledModel,
                                       {.provider = onnx::Provider::kCpu, .threads = 1});
  ASSERT_TRUE(model) << model.error().message;
  double lowest = 1;
  for (const char* name : {"intel_bottle-detection.ppm", "intel_car-detection.ppm", "mdn_flower.ppm"}) {
    const Frame frame(std::string(BCP_TEST_DATA) + "/mini/" + name);
    const std::vector<float> exact = embedding(**model, frame, "fp32"), close = embedding(**model, frame, "bf16");
    EXPECT_NE(exact, close) << name;
    lowest = std::min(lowest, cosine(exact, close));
  }
  EXPECT_GE(lowest, 0.9999);
  RecordProperty("lowest_cosine", std::to_string(lowest));
}

// A close preprocessor costs more to make than it saves, and parts get a new one in each frame.
TEST(ClosePreparation, LeavesPartsExact) {
  const auto model = clip::Model::open(std::string(BCP_MODELS) + "/" + clip::kBundledModel,
                                       {.provider = onnx::Provider::kCpu, .threads = 1});
  ASSERT_TRUE(model) << model.error().message;
  const Frame frame(std::string(BCP_TEST_DATA) + "/mini/mdn_flower.ppm");
  std::vector<std::vector<float>> embeddings;
  for (const char* precision : {"fp32", "bf16"}) {
    FrameEncoder encoder((*model)->images().embedding_size(), input_for((*model)->bundle().tensor, precision));
    ASSERT_TRUE(encoder.configure(frame.format, image::Coverage::kCentre));
    ASSERT_TRUE(encoder.preprocess(frame.picture, false, std::vector{image::Rect{101, 51, 300, 400}}));
    const auto made = encoder.infer((*model)->images());
    ASSERT_TRUE(made) << made.error().message;
    embeddings.emplace_back(made->begin(), made->end());
  }
  EXPECT_EQ(embeddings[0], embeddings[1]);
}

}  // namespace
}  // namespace bcp::tag
