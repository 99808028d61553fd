// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory use of preprocessing: no allocations, no reads outside the picture, no leaks.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "image/change_detector.hpp"
#include "image_reference.hpp"

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace bcp::test {
namespace {

using image::Coverage;
using image::Layout;
using image::PictureFormat;
using image::Preprocessor;

std::vector<PictureFormat> every_layout(int width, int height) {
  PictureFormat gray = packed_format(width, height);
  gray.layout = Layout::kGray;
  std::vector<PictureFormat> formats{packed_format(width, height, 3), packed_format(width, height, 4), gray};
  for (const YuvLayout& layout : kYuvLayouts) formats.push_back(yuv_format(width, height, layout));
  return formats;
}

image::TensorSpec close_spec(int size) {
  image::TensorSpec spec = clip_spec(size);
  spec.accuracy = image::Accuracy::kClose;
  return spec;
}

TEST(Preprocessor, AllocatesNothingPerFrame) {
  for (const PictureFormat& format : every_layout(211, 97))
    for (const image::TensorSpec& spec : {clip_spec(64), close_spec(64)}) {
      const TestPicture p(format, Content::kNoise);
      auto preprocessor = Preprocessor::make(format, spec, Coverage::kTiles);
      ASSERT_TRUE(preprocessor);
      std::vector<float> tensor(preprocessor->tensor_size());
      const long before = allocations;
      for (int frame = 0; frame < 3; ++frame) preprocessor->run(p.picture, tensor);
      EXPECT_EQ(allocations, before);
      ASSERT_GT(before, 0);
    }
}

TEST(ChangeDetector, AllocatesNothing) {
  for (const PictureFormat& format : every_layout(211, 97)) {
    const TestPicture p(format, Content::kNoise);
    const long before = allocations;
    image::ChangeDetector detector;
    for (int frame = 0; frame < 3; ++frame) {
      detector.look(format, image::whole(format), p.picture);
      detector.keep();
    }
    EXPECT_EQ(allocations, before);
  }
}

TEST(Preprocessor, IgnoresTheBytesBetweenRows) {
  for (const PictureFormat& format : every_layout(99, 51))
    for (const image::TensorSpec& spec : {clip_spec(32), close_spec(32)}) {
      const TestPicture tight(format, Content::kSmooth, 0);
      const TestPicture padded(format, Content::kSmooth, 61);
      EXPECT_EQ(run(format, tight.picture, spec), run(format, padded.picture, spec));
    }
}

TEST(Preprocessor, ReadsPicturesStoredBottomUp) {
  const TestPicture p(packed_format(60, 40), Content::kNoise);
  image::Picture flipped = p.picture;
  flipped.plane[0] += 39 * flipped.stride[0];
  flipped.stride[0] = -flipped.stride[0];
  PictureFormat turned = p.format;
  turned.orientation = {true, 180};  // upside down, left and right kept
  const Difference d = difference(run(p.format, flipped, clip_spec(32)), run(turned, p.picture, clip_spec(32)));
  EXPECT_LE(d.worst, kOneLevel);
}

TEST(Preprocessor, GivesTheSameTensorEveryTime) {
  for (const PictureFormat& format : every_layout(133, 90))
    for (const image::TensorSpec& spec : {clip_spec(48), close_spec(48)}) {
      const TestPicture first(format, Content::kNoise, 0, 1), second(format, Content::kNoise, 0, 2);
      auto preprocessor = Preprocessor::make(format, spec, Coverage::kTiles);
      ASSERT_TRUE(preprocessor);
      std::vector<float> a(preprocessor->tensor_size()), b(a), again(a);
      preprocessor->run(first.picture, a);
      preprocessor->run(second.picture, b);
      preprocessor->run(first.picture, again);
      EXPECT_EQ(a, again);
      EXPECT_NE(a, b);
    }
}

TEST(Preprocessor, WritesTheWholeTensorAtEverySizeAndStaysInsideThePicture) {
  std::mt19937 random(7);
  const auto between = [&](int low, int high) { return std::uniform_int_distribution<>(low, high)(random); };
  for (int round = 0; round < 150; ++round) {
    const int width = between(16, 200), height = between(16, 200), size = between(1, 70);
    for (PictureFormat format : every_layout(width, height)) {
      format.pixel_aspect = between(1, 4) == 1 ? between(1, 640) / 64.0 : 1;
      format.orientation = {between(0, 1) == 1, 90 * between(0, 3)};
      format.color.cosited_x = between(0, 1) == 1;
      format.color.cosited_y = between(0, 1) == 1;
      const auto coverage = static_cast<Coverage>(between(0, 2));
      const TestPicture p(format, Content::kNoise, between(0, 9));
      image::TensorSpec spec{size, {}, {1, 1, 1}};
      spec.accuracy = between(0, 1) == 1 ? image::Accuracy::kClose : image::Accuracy::kExact;
      const auto tensor = run(format, p.picture, spec, coverage);
      ASSERT_FALSE(tensor.empty());
      for (const float v : tensor) ASSERT_TRUE(v >= 0 && v <= 1) << width << "x" << height << " to " << size;
    }
  }
}

TEST(Preprocessor, TakesTheSmallestAndTheLargestFrames) {
  for (const auto& [width, height] : {std::pair{16, 16}, {7680, 4320}, {7681, 4319}, {65536, 16}, {16, 65536}})
    for (const PictureFormat& format : {packed_format(width, height), yuv_format(width, height, kNv12),
                                        yuv_format(width, height, kYuy2), yuv_format(width, height, kY444)}) {
      const TestPicture p(format, Content::kNoise);
      for (const image::TensorSpec& spec : {clip_spec(), close_spec(224)}) {
        const auto tensor = run(format, p.picture, spec);
        EXPECT_EQ(tensor.size(), 3U * 224 * 224);
        for (const float v : tensor) ASSERT_TRUE(std::isfinite(v));
      }
    }
}

TEST(Preprocessor, MayBeMovedBetweenFrames) {
  const TestPicture p(yuv_format(64, 48, kNv12), Content::kNoise);
  auto made = Preprocessor::make(p.format, clip_spec(32), Coverage::kCentre);
  ASSERT_TRUE(made);
  Preprocessor moved = std::move(*made);
  std::vector<float> tensor(moved.tensor_size());
  moved.run(p.picture, tensor);
  EXPECT_EQ(tensor, run(p.format, p.picture, clip_spec(32)));
}

}  // namespace
}  // namespace bcp::test
