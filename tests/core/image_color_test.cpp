// SPDX-License-Identifier: LGPL-2.1-or-later
// Every stored format against a conversion in doubles followed by a simple resize.

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "image/kernels.hpp"
#include "image/row_reader.hpp"
#include "image_reference.hpp"

namespace bcp::test {
namespace {

using image::Coverage;
using image::Layout;
using image::PictureFormat;

std::vector<double> reference(const TestPicture& p, const image::TensorSpec& spec) {
  return clip_reference(to_rgb(p.format, p.picture), spec);
}

// ---- red, green, blue

TEST(PackedPixels, MatchThePlainResizeWhenShrinking) {
  const TestPicture p(packed_format(331, 190), Content::kNoise, 5);
  const auto actual = run(p.format, p.picture, clip_spec(64));
  const Difference d = difference(actual, reference(p, clip_spec(64)));
  EXPECT_LE(d.worst, kOneLevel);
  EXPECT_LE(d.mean, kOneLevel / 1000);  // practically all are equal
}

TEST(PackedPixels, MatchThePlainResizeWhenEnlarging) {
  const TestPicture p(packed_format(31, 45), Content::kNoise, 5);
  const Difference d = difference(run(p.format, p.picture, clip_spec(224)), reference(p, clip_spec(224)));
  EXPECT_LE(d.worst, kOneLevel);
  EXPECT_LE(d.mean, kOneLevel / 1000);
}

TEST(PackedPixels, OfTheModelsSizePassUnchanged) {
  const TestPicture p(packed_format(224, 224, 4), Content::kNoise);
  const Difference d =
      difference(run(p.format, p.picture, clip_spec()), normalised(to_rgb(p.format, p.picture), clip_spec()));
  EXPECT_LE(d.worst, 1e-5);
}

TEST(PackedPixels, GiveTheSameTensorInEveryByteOrder) {
  const TestPicture rgb(packed_format(101, 77, 3), Content::kNoise, 1);
  const auto expected = run(rgb.format, rgb.picture, clip_spec(48));
  ASSERT_FALSE(expected.empty());
  const std::tuple<int, std::array<int, 3>> orders[] = {
      {3, {2, 1, 0}}, {4, {0, 1, 2}}, {4, {2, 1, 0}}, {4, {1, 2, 3}}, {4, {3, 2, 1}}};
  for (const auto& [step, offsets] : orders) {
    const PictureFormat format = packed_format(101, 77, step, offsets);
    std::vector<std::uint8_t> bytes(index(101 * 77 * step), 200);
    for (int y = 0; y < 77; ++y)
      for (int x = 0; x < 101; ++x)
        for (int c = 0; c < 3; ++c)
          bytes[index((y * 101 + x) * step + offsets[index(c)])] =
              rgb.picture.plane[0][y * rgb.picture.stride[0] + x * 3 + c];
    EXPECT_EQ(run(format, {{bytes.data()}, {101 * step}}, clip_spec(48)), expected)
        << step << " bytes, red at " << offsets[0];
  }
}

// ---- luma alone

TEST(GrayPixels, AreEqualInRedGreenAndBlue) {
  for (const bool full_range : {true, false}) {
    PictureFormat format = packed_format(61, 83);
    format.layout = Layout::kGray;
    format.color.full_range = full_range;
    const TestPicture p(format, Content::kNoise, 3);
    const Difference d = difference(run(format, p.picture, clip_spec(40)), reference(p, clip_spec(40)));
    EXPECT_LE(d.worst, kOneLevel) << full_range;
  }
}

// ---- luma and chroma

struct Matrix {
  const char* name;
  double kr, kb;
};
constexpr Matrix kMatrices[] = {{"601", 0.299, 0.114}, {"709", 0.2126, 0.0722}, {"2020", 0.2627, 0.0593}};

using YuvCase = std::tuple<Matrix, bool, bool, bool, YuvLayout, Content>;

class YuvPixels : public testing::TestWithParam<YuvCase> {};

TEST_P(YuvPixels, MatchAConversionInDoubles) {
  const auto& [matrix, full_range, cosited_x, cosited_y, layout, content] = GetParam();
  for (const auto& [width, height] : {std::pair{64, 48}, {97, 65}, {33, 131}, {17, 16}}) {
    PictureFormat format = yuv_format(width, height, layout);
    format.color = {matrix.kr, matrix.kb, full_range, cosited_x, cosited_y};
    const TestPicture p(format, content, 7);
    const Difference d = difference(run(format, p.picture, clip_spec(32)), reference(p, clip_spec(32)));
    EXPECT_LE(d.worst, kOneLevel) << width << "x" << height;  // the documented limit is 0.05
    EXPECT_LE(d.mean, kOneLevel / 100) << width << "x" << height;
  }
}

std::string name_of(const testing::TestParamInfo<YuvCase>& info) {
  const auto& [matrix, full_range, cosited_x, cosited_y, layout, content] = info.param;
  return std::string("Bt") + matrix.name + (full_range ? "Full" : "Limited") + (cosited_x ? "CositedX" : "CentredX") +
         (cosited_y ? "CositedY" : "CentredY") + layout.name + (content == Content::kNoise ? "Noise" : "Smooth");
}

INSTANTIATE_TEST_SUITE_P(EveryColorimetry, YuvPixels,
                         testing::Combine(testing::ValuesIn(kMatrices), testing::Bool(), testing::Bool(),
                                          testing::Bool(), testing::ValuesIn(kYuvLayouts),
                                          testing::Values(Content::kNoise, Content::kSmooth)),
                         name_of);

TEST(YuvPixels, OfALargeFrameMatchAConversionInDoubles) {
  for (const YuvLayout& layout : {kNv12, kYuy2, kY444}) {
    const TestPicture p(yuv_format(640, 360, layout), Content::kNoise, 32);
    const Difference d = difference(run(p.format, p.picture, clip_spec()), reference(p, clip_spec()));
    EXPECT_LE(d.worst, kOneLevel) << layout.name;
    EXPECT_LE(d.mean, kOneLevel / 1000) << layout.name;
  }
}

// The picture's own size, so that no resize hides a level. Integer sums are within 1/1000 of a level of the real ones,
// so at most about two bytes in a thousand may be rounded differently.
TEST(YuvPixels, AreRoundedLikeRealNumbers) {
  for (const Matrix& matrix : kMatrices)
    for (const bool full_range : {false, true}) {
      PictureFormat format = yuv_format(224, 224, kNv12);
      format.color = {matrix.kr, matrix.kb, full_range, false, false};
      const TestPicture p(format, Content::kNoise);
      const RgbImage expected = to_rgb(format, p.picture);
      const auto found = run(format, p.picture, image::TensorSpec{224, {}, {1, 1, 1}});
      const auto wanted = normalised(expected, image::TensorSpec{224, {}, {1, 1, 1}});
      ASSERT_EQ(found.size(), wanted.size());
      std::size_t others = 0;
      for (std::size_t i = 0; i < found.size(); ++i) others += std::abs(double(found[i]) - wanted[i]) > 0.5 / 255;
      EXPECT_LE(others, found.size() / 2000) << matrix.name << (full_range ? " full" : " limited");
      RecordProperty(std::string(matrix.name) + (full_range ? "_full" : "_limited"), std::to_string(others));
    }
}

TEST(YuvPixels, WithoutColourAreRoundedExactly) {
  for (const bool full_range : {false, true}) {
    PictureFormat format = yuv_format(256, 16, kI420);
    format.color.full_range = full_range;
    std::vector<std::uint8_t> luma(256 * 16), chroma(128 * 8, 128);
    for (std::size_t i = 0; i < luma.size(); ++i) luma[i] = static_cast<std::uint8_t>(i % 256);
    const image::Picture picture{{luma.data(), chroma.data(), chroma.data()}, {256, 128, 128}};
    const RgbImage expected = to_rgb(format, picture);
    for (const image::Kernels* kernels : image::supported_kernels()) {
      image::RowReader reader(format, *kernels);
      reader.start(picture);
      std::array<std::array<std::uint8_t, 256 + image::kSlack>, 3> row;
      reader.read(5, {0, 256}, {row[0].data(), row[1].data(), row[2].data()});
      for (int x = 0; x < 256; ++x)
        for (int c = 0; c < 3; ++c)
          ASSERT_EQ(row[index(c)][index(x)], expected.at(x, 5, c)) << kernels->name << ", luma " << x;
    }
  }
}

TEST(YuvPixels, OfAMatrixAlmostWithoutGreenAreRefused) {
  PictureFormat format = yuv_format(64, 48, kNv12);
  format.color.kr = 0.5;
  format.color.kb = 0.49;
  const auto made = image::Preprocessor::make(format, clip_spec(32), Coverage::kCentre);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("0.49"), std::string::npos) << made.error().message;
}

TEST(YuvPixels, AreSitedOnlyWhenSubsampled) {
  for (const YuvLayout& layout : kYuvLayouts) {
    const TestPicture p(yuv_format(51, 37, layout), Content::kNoise);
    PictureFormat other_x = p.format, other_y = p.format;
    other_x.color.cosited_x = !p.format.color.cosited_x;
    other_y.color.cosited_y = !p.format.color.cosited_y;
    const auto tensor = run(p.format, p.picture, clip_spec(32));
    EXPECT_EQ(run(other_x, p.picture, clip_spec(32)) != tensor, layout.chroma_shift_x == 1) << layout.name;
    EXPECT_EQ(run(other_y, p.picture, clip_spec(32)) != tensor, layout.chroma_shift_y == 1) << layout.name;
  }
}

TEST(YuvPixels, WithSwappedChromaPointersAreYv12) {
  TestPicture p(yuv_format(50, 40, kI420), Content::kSmooth);
  const auto i420 = run(p.format, p.picture, clip_spec(32));
  std::swap(p.picture.plane[1], p.picture.plane[2]);
  const auto yv12 = run(p.format, p.picture, clip_spec(32));
  EXPECT_GT(difference(yv12, i420).worst, 0.5);
  EXPECT_LE(difference(yv12, reference(p, clip_spec(32))).worst, kOneLevel);
}

TEST(YuvPixels, OfBlackAndWhiteAreBlackAndWhite) {
  for (const bool white : {false, true}) {
    const std::vector<std::uint8_t> luma(20 * 20, white ? 235 : 16), chroma(10 * 10, 128);
    const auto tensor = run(yuv_format(20, 20, kI420), {{luma.data(), chroma.data(), chroma.data()}, {20, 10, 10}},
                            image::TensorSpec{16, {}, {1, 1, 1}});
    ASSERT_EQ(tensor.size(), 3U * 16 * 16);
    for (const float v : tensor) ASSERT_FLOAT_EQ(v, white ? 1.0F : 0.0F);
  }
}

}  // namespace
}  // namespace bcp::test
