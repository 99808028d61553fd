// SPDX-License-Identifier: LGPL-2.1-or-later
// Accuracy::kClose, which resizes Y, U and V as they are stored, against kExact.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "image/filter_table.hpp"
#include "image_reference.hpp"

namespace bcp::test {
namespace {

using image::Accuracy;
using image::Coverage;
using image::PictureFormat;
using image::Preprocessor;
using image::Rect;
using image::TensorSpec;

TensorSpec spec_of(Accuracy accuracy, int size) {
  TensorSpec spec = clip_spec(size);
  spec.accuracy = accuracy;
  return spec;
}

// Noise whose colours red, green and blue can show: nothing is clipped, so that both ways have the same sums.
TestPicture pale_noise(const PictureFormat& format, unsigned seed) {
  TestPicture p(format, Content::kNoise, 0, seed);
  const int chroma_width = (format.width + format.chroma_shift_x) >> format.chroma_shift_x;
  const int chroma_height = (format.height + format.chroma_shift_y) >> format.chroma_shift_y;
  const auto shrink = [](const std::uint8_t* row, int count, int span) {
    auto* bytes = const_cast<std::uint8_t*>(row);  // of the picture above
    for (int i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(128 + (bytes[i] - 128) * span / 128);
  };
  for (int y = 0; y < format.height; ++y) shrink(p.picture.plane[0] + y * p.picture.stride[0], format.width, 40);
  for (int y = 0; y < chroma_height; ++y)
    for (std::size_t plane = 1; plane <= (format.chroma_step == 2 ? 1U : 2U); ++plane)
      shrink(p.picture.plane[plane] + y * p.picture.stride[plane], chroma_width * format.chroma_step, 30);
  return p;
}

std::vector<float> run_part(const TestPicture& p, const Rect& part, const TensorSpec& spec, Coverage coverage) {
  auto preprocessor = Preprocessor::make(p.format, part, spec, coverage);
  if (!preprocessor) return {};
  std::vector<float> tensor(preprocessor->tensor_size(), std::nanf(""));
  preprocessor->run(p.picture, tensor);
  return tensor;
}

std::string described(const YuvLayout& layout, const PictureFormat& format, const Rect& part) {
  return std::string(layout.name) + " " + std::to_string(format.width) + "x" + std::to_string(format.height) +
         ", part " + std::to_string(part.width) + "x" + std::to_string(part.height) + "+" + std::to_string(part.x) +
         "+" + std::to_string(part.y) + ", cosited " + std::to_string(format.color.cosited_x) +
         std::to_string(format.color.cosited_y) + ", turned " + std::to_string(format.orientation.clockwise);
}

// Chroma at a wrong position changes some values by ten levels here.
TEST(CloseTensor, IsWithinAFewLevelsOfTheExactOneForEveryLayoutAndPart) {
  std::mt19937 random(5);
  const auto between = [&](int low, int high) { return std::uniform_int_distribution<>(low, high)(random); };
  double most_mean = 0, worst = 0;
  for (int round = 0; round < 40; ++round)
    for (const YuvLayout& layout : kYuvLayouts) {
      if (layout.luma_step != 1) continue;
      PictureFormat format = yuv_format(between(40, 300), between(40, 200), layout);
      format.orientation = {between(0, 1) == 1, 90 * between(0, 3)};
      format.color = {0.2126, 0.0722, between(0, 1) == 1, between(0, 1) == 1, between(0, 1) == 1};
      Rect part{0, 0, between(32, format.width), between(32, format.height)};
      part.x = between(0, format.width - part.width);
      part.y = between(0, format.height - part.height);
      const TestPicture p = pale_noise(format, static_cast<unsigned>(round));
      const int size = between(16, 70);
      const auto coverage = static_cast<Coverage>(between(0, 2));
      const Difference d = difference(run_part(p, part, spec_of(Accuracy::kClose, size), coverage),
                                      run_part(p, part, spec_of(Accuracy::kExact, size), coverage));
      ASSERT_LE(d.worst, 5 * kOneLevel) << described(layout, format, part);
      ASSERT_LE(d.mean, 0.8 * kOneLevel) << described(layout, format, part);
      worst = std::max(worst, d.worst);
      most_mean = std::max(most_mean, d.mean);
    }
  RecordProperty("worst_levels", std::to_string(worst / kOneLevel));
  RecordProperty("largest_mean_levels", std::to_string(most_mean / kOneLevel));
}

TEST(CloseTensor, IsTheExactOneForPicturesWithoutAPlaneOfLuma) {
  PictureFormat gray = packed_format(120, 90);
  gray.layout = image::Layout::kGray;
  for (const PictureFormat& format : {packed_format(120, 90), packed_format(120, 90, 4, {2, 1, 0}), gray,
                                      yuv_format(120, 90, kYuy2), yuv_format(120, 90, kV308)}) {
    const TestPicture p(format, Content::kNoise);
    EXPECT_EQ(run(format, p.picture, spec_of(Accuracy::kClose, 40)),
              run(format, p.picture, spec_of(Accuracy::kExact, 40)));
  }
}

// So a kernel that takes the wrong one of the two ways would be noticed.
TEST(CloseTensor, IsNotTheExactOneForNv12) {
  const TestPicture p(yuv_format(120, 90, kNv12), Content::kNoise);
  EXPECT_NE(run(p.format, p.picture, spec_of(Accuracy::kClose, 40)),
            run(p.format, p.picture, spec_of(Accuracy::kExact, 40)));
}

TEST(CloseTensor, OfAFlatPictureIsExact) {
  for (const YuvLayout& layout : kYuvLayouts) {
    if (layout.luma_step != 1) continue;
    TestPicture p(yuv_format(200, 100, layout), Content::kNoise);
    for (std::size_t plane = 0; plane < 3; ++plane)
      for (int y = 0; y < (plane == 0 ? 100 : (100 + layout.chroma_shift_y) >> layout.chroma_shift_y); ++y)
        for (int x = 0; x < (plane == 0 ? 200 : (200 + layout.chroma_shift_x) >> layout.chroma_shift_x); ++x)
          const_cast<std::uint8_t*>(
              p.picture.plane[plane])[y * p.picture.stride[plane] + x * (plane == 0 ? 1 : layout.chroma_step)] =
              static_cast<std::uint8_t>(plane == 0 ? 120 : 100 + 20 * plane);
    EXPECT_EQ(run(p.format, p.picture, spec_of(Accuracy::kClose, 40)),
              run(p.format, p.picture, spec_of(Accuracy::kExact, 40)))
        << layout.name;
  }
}

TEST(RoundedWeights, HaveFewBitsAndKeepTheirSum) {
  constexpr std::int32_t kStep = 1 << (image::kWeightBits - image::kRoundedBits);
  std::vector<int> outputs(224);
  for (int i = 0; i < 224; ++i) outputs[index(i)] = i;
  for (const int source : {100, 224, 1080, 2160, 7681}) {
    const image::FilterTable exact = filter_table(image::Filter::kBicubic, source, 224, outputs);
    const image::FilterTable few = image::rounded(exact);
    std::size_t at = 0;
    for (const image::FilterTable::Entry& entry : few.entries) {
      std::int64_t sum = 0;
      for (int i = 0; i < entry.count; ++i, ++at) {
        ASSERT_EQ(few.weights[at] % kStep, 0);
        sum += few.weights[at];
      }
      EXPECT_EQ(sum, std::int64_t{1} << image::kWeightBits) << source;
    }
    ASSERT_EQ(at, exact.weights.size());
  }
}

}  // namespace
}  // namespace bcp::test
