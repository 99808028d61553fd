// SPDX-License-Identifier: LGPL-2.1-or-later
// The filters and resize modes, against Pillow and against the simple form of image_reference.hpp.

#include <gtest/gtest.h>

#include "common/pictures.hpp"
#include "common/temporary.hpp"
#include "image_reference.hpp"

namespace bcp::test {
namespace {

using image::Coverage;
using image::Filter;
using image::PictureFormat;
using image::Preprocessor;
using image::Resize;
using image::TensorSpec;

constexpr int kSize = 24, kLarger = 29;

std::vector<TensorSpec> all_ways() {
  std::vector<TensorSpec> specs;
  for (const Filter filter : {Filter::kBicubic, Filter::kBilinear})
    for (const Resize resize : {Resize::kShortest, Resize::kSquash})
      for (const int side : {0, kLarger}) {
        TensorSpec spec = clip_spec(kSize);
        spec.filter = filter;
        spec.resize = resize;
        spec.resize_to = side;
        specs.push_back(spec);
      }
  return specs;
}

std::string name_of(const TensorSpec& spec) {
  return std::string(spec.filter == Filter::kBicubic ? "bicubic" : "bilinear") +
         (spec.resize == Resize::kSquash ? " squash " : " shortest ") + std::to_string(spec.resize_to);
}

TEST(Filters, MatchPillow) {
  const std::string bytes = read(BCP_TEST_DATA "/pillow/expected.rgb");
  constexpr std::size_t kEach = std::size_t{kSize} * kSize * 3;
  ASSERT_EQ(bytes.size(), 3 * all_ways().size() * kEach);
  std::size_t at = 0;
  for (int number = 0; number < 3; ++number) {
    const PatternPicture p(number);
    for (TensorSpec spec : all_ways()) {
      spec.mean = {0, 0, 0};
      spec.std = {1, 1, 1};
      const std::vector<float> found = run(p.format, p.picture(), spec);
      ASSERT_EQ(found.size(), kEach);
      int others = 0;
      for (std::size_t i = 0; i < kEach; ++i) {
        const int expected = static_cast<unsigned char>(bytes[at + i]);
        const std::size_t pixel = i / 3, channel = i % 3;
        others += std::lround(found[channel * (kEach / 3) + pixel] * 255) != expected;
      }
      EXPECT_EQ(others, 0) << number << ": " << name_of(spec);
      at += kEach;
    }
  }
}

TEST(Filters, ShowTheUprightPictureInEveryMode) {
  for (const TensorSpec& spec : all_ways())
    for (const int clockwise : {0, 90, 180, 270})
      for (const auto& [width, height] : {std::pair{90, 61}, {53, 120}, {19, 23}}) {
        PictureFormat format = packed_format(width, height);
        format.orientation = {clockwise == 90, clockwise};
        const TestPicture p(format, Content::kNoise, 3);
        const RgbImage turned = upright(to_rgb(format, p.picture), format.orientation);
        const Difference d = difference(run(format, p.picture, spec), clip_reference(turned, spec));
        EXPECT_LE(d.worst, 2 * kOneLevel) << name_of(spec) << " " << clockwise << " " << width << "x" << height;
        EXPECT_LE(d.mean, kOneLevel / 10) << name_of(spec) << " " << clockwise << " " << width << "x" << height;
      }
}

TEST(Filters, SquashCoverageEqualsASquashingModel) {
  const TestPicture p(packed_format(120, 50), Content::kNoise);
  TensorSpec squash = clip_spec(kSize);
  squash.resize = Resize::kSquash;
  EXPECT_EQ(run(p.format, p.picture, clip_spec(kSize), Coverage::kSquash), run(p.format, p.picture, squash));
  EXPECT_EQ(run(p.format, p.picture, squash, Coverage::kSquash), run(p.format, p.picture, squash));
  // Tiles are never distorted, whatever the model's mode.
  EXPECT_EQ(run(p.format, p.picture, clip_spec(kSize), Coverage::kTiles),
            run(p.format, p.picture, squash, Coverage::kTiles));
}

TEST(Filters, TilesOfALargerPictureStayInItsMiddle) {
  const TestPicture p(packed_format(100, 50), Content::kNoise);
  TensorSpec spec = clip_spec(kSize);
  spec.resize_to = 28;
  const RgbImage small = resized(to_rgb(p.format, p.picture), 56, 28);
  std::vector<double> expected;
  for (const int x : {0, 16, 32})  // 56 pixels need three windows of 24
    for (const double value : normalised(cropped(small, x, 2, kSize), spec)) expected.push_back(value);
  EXPECT_LE(difference(run(p.format, p.picture, spec, Coverage::kTiles), expected).worst, kOneLevel);
}

TEST(Filters, ACropLargerThanTheResizeIsRefused) {
  TensorSpec spec = clip_spec(kSize);
  for (const int side : {-1, kSize - 1, 5000}) {
    spec.resize_to = side;
    const auto made = Preprocessor::make(packed_format(100, 50), spec, Coverage::kCentre);
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find(std::to_string(side)), std::string::npos) << made.error().message;
  }
}

}  // namespace
}  // namespace bcp::test
