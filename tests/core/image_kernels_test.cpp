// SPDX-License-Identifier: LGPL-2.1-or-later
// Every instruction set of this processor against plain C++: the same bytes.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "image/kernels.hpp"
#include "image_reference.hpp"

namespace bcp::test {
namespace {

using image::Coverage;
using image::Kernels;
using image::Layout;
using image::PictureFormat;
using image::Preprocessor;

std::vector<PictureFormat> every_layout(int width, int height) {
  PictureFormat gray = packed_format(width, height);
  gray.layout = Layout::kGray;
  std::vector<PictureFormat> formats{packed_format(width, height, 3), packed_format(width, height, 4, {2, 1, 0}), gray};
  for (const YuvLayout& layout : kYuvLayouts) formats.push_back(yuv_format(width, height, layout));
  return formats;
}

std::vector<float> run_with(const Kernels& kernels, const TestPicture& p, const image::Rect& part,
                            const image::TensorSpec& spec, Coverage coverage) {
  auto preprocessor = Preprocessor::make(p.format, part, spec, coverage, kernels);
  if (!preprocessor) return {};
  std::vector<float> tensor(preprocessor->tensor_size(), std::nanf(""));
  preprocessor->run(p.picture, tensor);
  return tensor;
}

// The kernels under test: all but the plain ones.
std::vector<const Kernels*> vector_kernels() {
  std::vector<const Kernels*> result = image::supported_kernels();
  result.pop_back();
  return result;
}

TEST(SupportedKernels, AreNamedAndEndWithThePlainOnes) {
  const auto all = image::supported_kernels();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.back(), &image::plain_kernels());
  EXPECT_EQ(all.front(), &image::fastest_kernels());
  std::set<std::string> names;
  std::string list;
  for (const Kernels* each : all) {
    EXPECT_TRUE(names.insert(each->name).second) << each->name;
    list += (list.empty() ? "" : " ") + std::string(each->name);
  }
  RecordProperty("kernels", list);
}

TEST(EveryKernel, GivesTheSameTensorForRandomPictures) {
  std::mt19937 random(11);
  const auto between = [&](int low, int high) { return std::uniform_int_distribution<>(low, high)(random); };
  for (int round = 0; round < 60; ++round) {
    const int width = between(16, 300), height = between(16, 200);
    for (PictureFormat format : every_layout(width, height)) {
      format.orientation = {between(0, 1) == 1, 90 * between(0, 3)};
      format.color = {0.2126, 0.0722, between(0, 1) == 1, between(0, 1) == 1, between(0, 1) == 1};
      image::TensorSpec spec = clip_spec(between(1, 70));
      spec.filter = between(0, 1) == 1 ? image::Filter::kBicubic : image::Filter::kBilinear;
      spec.accuracy = between(0, 1) == 1 ? image::Accuracy::kClose : image::Accuracy::kExact;
      const auto coverage = static_cast<Coverage>(between(0, 2));
      image::Rect part{0, 0, between(16, width), between(16, height)};
      part.x = between(0, width - part.width);
      part.y = between(0, height - part.height);
      const TestPicture p(format, Content::kNoise, between(0, 9), static_cast<unsigned>(round));
      const auto expected = run_with(image::plain_kernels(), p, part, spec, coverage);
      ASSERT_FALSE(expected.empty());
      for (const Kernels* each : vector_kernels())
        ASSERT_EQ(run_with(*each, p, part, spec, coverage), expected) << each->name << ", " << width << "x" << height;
    }
  }
}

TEST(EveryKernel, GivesTheSameTensorForPicturesWiderThanASpan) {
  for (const PictureFormat& format : every_layout(1501, 67)) {
    const TestPicture p(format, Content::kNoise, 3);
    const image::Rect all = whole(format);
    for (const image::Accuracy accuracy : {image::Accuracy::kExact, image::Accuracy::kClose}) {
      image::TensorSpec spec = clip_spec();
      spec.accuracy = accuracy;
      const auto expected = run_with(image::plain_kernels(), p, all, spec, Coverage::kSquash);
      for (const Kernels* each : vector_kernels())
        EXPECT_EQ(run_with(*each, p, all, spec, Coverage::kSquash), expected) << each->name;
    }
  }
}

// U and V alternate in either order, together with Y or in a separate plane.
TEST(EveryKernel, ReadsChromaInEitherOrder) {
  for (const YuvLayout& layout : {kNv12, kYuy2}) {
    TestPicture p(yuv_format(130, 50, layout), Content::kNoise);
    const image::Rect all = whole(p.format);
    for (int order = 0; order < 2; ++order, std::swap(p.picture.plane[1], p.picture.plane[2])) {
      const auto expected = clip_reference(to_rgb(p.format, p.picture), clip_spec(40));
      for (const Kernels* each : image::supported_kernels()) {
        const Difference d = difference(run_with(*each, p, all, clip_spec(40), Coverage::kCentre), expected);
        EXPECT_LE(d.worst, kOneLevel) << each->name << ", " << layout.name << ", order " << order;
        EXPECT_LE(d.mean, kOneLevel / 100) << each->name << ", " << layout.name << ", order " << order;
      }
    }
  }
}

TEST(EveryKernel, ReadsLumaAfterChroma) {
  const TestPicture yuy2(yuv_format(130, 50, kYuy2), Content::kNoise);
  std::vector<std::uint8_t> bytes(yuy2.picture.plane[0], yuy2.picture.plane[0] + 130 * 50 * 2);
  for (std::size_t i = 0; i < bytes.size(); i += 2) std::swap(bytes[i], bytes[i + 1]);
  const image::Picture uyvy{{bytes.data() + 1, bytes.data(), bytes.data() + 2}, yuy2.picture.stride};
  EXPECT_EQ(run(yuy2.format, uyvy, clip_spec(40)), run(yuy2.format, yuy2.picture, clip_spec(40)));
}

// The lines of tones that kernels use for whole vectors, also at widths that do not fill one.
TEST(EveryKernel, TurnsBytesIntoTheTableOfTones) {
  for (const auto& [mean, std] :
       {std::pair{0.48145466F, 0.26862954F}, {0.5F, 0.5F}, {127.0F / 255, 128.0F / 255}, {-3.0F, 0.001F}}) {
    const image::ToneTable table = image::tone_table(mean, std);
    for (const Kernels* kernels : image::supported_kernels())
      for (const std::size_t count : {std::size_t{256}, std::size_t{251}, std::size_t{17}, std::size_t{16}}) {
        std::array<std::uint8_t, 256> bytes;
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(255 - i);
        std::vector<float> values(count + 1, 1e9F);
        kernels->tone(image::tone_line(mean, std), bytes.data(), count, values.data());
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_EQ(values[i], table[bytes[i]]) << kernels->name << ", mean " << mean << ", byte " << 255 - i;
        EXPECT_EQ(values[count], 1e9F) << kernels->name << " wrote past " << count;
      }
  }
}

}  // namespace
}  // namespace bcp::test
