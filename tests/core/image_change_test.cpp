// SPDX-License-Identifier: LGPL-2.1-or-later
// Which pictures count as equal, and which do not.

#include <gtest/gtest.h>

#include <random>

#include "image/change_detector.hpp"
#include "image/geometry.hpp"
#include "image_reference.hpp"

namespace bcp::test {
namespace {

using image::ChangeDetector;
using image::Coverage;
using image::Layout;
using image::PictureFormat;
using image::Rect;

// A gray picture that can be drawn on.
struct Canvas {
  Canvas(int width, int height, std::uint8_t level = 100)
      : bytes(index(width * height), level), stride(width), format(packed_format(width, height)) {
    format.layout = Layout::kGray;
  }
  void draw(const Rect& box, int level) {
    for (int y = box.y; y < box.y + box.height; ++y)
      for (int x = box.x; x < box.x + box.width; ++x) bytes[index(y * stride + x)] = static_cast<std::uint8_t>(level);
  }
  void add_noise(double sigma, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<> noise(0, sigma);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(std::clamp(byte + noise(random), 0.0, 255.0));
  }
  image::Picture picture() const { return {{bytes.data()}, {stride}}; }

  std::vector<std::uint8_t> bytes;
  int stride;
  PictureFormat format;
};

std::optional<double> look(ChangeDetector& detector, const Canvas& canvas) {
  return detector.look(canvas.format, image::whole(canvas.format), canvas.picture());
}

// The distance of the second from the first.
double change(const Canvas& first, const Canvas& second) {
  ChangeDetector detector;
  EXPECT_FALSE(look(detector, first)) << "there is nothing to compare with yet";
  detector.keep();
  return look(detector, second).value_or(-1);
}

TEST(ChangeDetector, FindsThatAPictureIsEqualToItself) {
  for (const PictureFormat& format :
       {packed_format(321, 181, 3), packed_format(321, 181, 4, {2, 1, 0}), yuv_format(321, 181, kNv12),
        yuv_format(320, 181, kYuy2), yuv_format(321, 181, kV308)}) {
    const TestPicture p(format, Content::kNoise);
    ChangeDetector detector;
    EXPECT_FALSE(detector.look(format, image::whole(format), p.picture));
    detector.keep();
    EXPECT_EQ(detector.look(format, image::whole(format), p.picture), 0);
  }
}

TEST(ChangeDetector, SeesAnObjectOfATwelfthOfThePictureAnywhere) {
  for (const auto& [width, height] : {std::pair(640, 360), std::pair(1920, 1080), std::pair(360, 640)})
    for (int i = 0; i < 9; ++i) {
      const Canvas empty(width, height);
      Canvas visited = empty;
      const int side = std::max(width, height) / 12;
      visited.draw({(width - side) * (i % 3) / 2, (height - side) * (i / 3) / 2, side, side}, 130);
      EXPECT_GE(change(empty, visited), ChangeDetector::kNoticeable) << width << "x" << height << ", place " << i;
    }
}

TEST(ChangeDetector, IgnoresTheNoiseOfASensor) {
  for (const auto& [width, height] : {std::pair(640, 360), std::pair(1920, 1080)}) {
    Canvas first(width, height), second(width, height);
    first.add_noise(8, 1);
    second.add_noise(8, 2);
    EXPECT_LT(change(first, second), ChangeDetector::kNoticeable) << width;
  }
}

TEST(ChangeDetector, ComparesWithTheKeptPictureSoThatDriftAddsUp) {
  ChangeDetector detector;
  look(detector, Canvas(64, 48, 100));
  detector.keep();
  for (int i = 1; i < 20; ++i) EXPECT_EQ(look(detector, Canvas(64, 48, static_cast<std::uint8_t>(100 + i))), i);
  detector.keep();
  EXPECT_EQ(look(detector, Canvas(64, 48, 100)), 19);
}

TEST(ChangeDetector, MeasuresBrightnessInEveryLayout) {
  for (const auto& [colour, levels] : {std::pair(0, 255 * 5 / 16.0), {1, 255 * 9 / 16.0}, {2, 255 * 2 / 16.0}}) {
    const PictureFormat format = packed_format(60, 40, 4, {3, 2, 1});
    std::vector<std::uint8_t> black(60 * 40 * 4), coloured(black);
    for (std::size_t i = 0; i < black.size(); i += 4) {
      coloured[i] = 77;  // padding: it does not count
      coloured[i + index(format.rgb_offset[index(colour)])] = 255;
    }
    ChangeDetector detector;
    detector.look(format, image::whole(format), {{black.data()}, {240}});
    detector.keep();
    EXPECT_NEAR(detector.look(format, image::whole(format), {{coloured.data()}, {240}}).value_or(0), levels, 1e-3);
  }
  const PictureFormat yuy2 = yuv_format(60, 40, kYuy2);
  std::vector<std::uint8_t> dark(60 * 40 * 2, 50), light(dark);
  for (std::size_t i = 0; i < light.size(); i += 2) light[i] = 70;
  ChangeDetector detector;
  detector.look(yuy2, image::whole(yuy2), {{dark.data()}, {120}});
  detector.keep();
  EXPECT_EQ(detector.look(yuy2, image::whole(yuy2), {{light.data()}, {120}}), 20);
}

TEST(ChangeDetector, ReadsOnlyThePart) {
  const Canvas empty(640, 360);
  Canvas visited = empty;
  visited.draw({0, 0, 140, 360}, 255);
  ChangeDetector detector;
  const Rect middle{140, 0, 360, 360};
  detector.look(empty.format, middle, empty.picture());
  detector.keep();
  EXPECT_EQ(detector.look(visited.format, middle, visited.picture()), 0);
  EXPECT_FALSE(detector.look(visited.format, image::whole(visited.format), visited.picture())) << "another part";
}

TEST(ChangeDetector, ForgetsOnDemandAndWhenTheFormatChanges) {
  ChangeDetector detector;
  look(detector, Canvas(64, 48));
  detector.keep();
  EXPECT_TRUE(look(detector, Canvas(64, 48)));
  EXPECT_FALSE(look(detector, Canvas(48, 64)));
  detector.keep();
  EXPECT_TRUE(look(detector, Canvas(48, 64)));
  detector.forget();
  EXPECT_FALSE(look(detector, Canvas(48, 64)));
}

// A sanitizer checks accesses after the last row.
TEST(ChangeDetector, StaysInsideThePictureAtEverySize) {
  std::mt19937 random(3);
  const auto between = [&](int low, int high) { return std::uniform_int_distribution<>(low, high)(random); };
  for (int round = 0; round < 100; ++round) {
    const int width = between(1, 200), height = between(1, 200);
    for (PictureFormat format :
         {packed_format(width, height, 3), packed_format(width, height, 4), yuv_format(width, height, kNv12),
          yuv_format(width, height, kYuy2), yuv_format(width, height, kV308)}) {
      const TestPicture p(format, Content::kNoise, between(0, 9));
      const Rect part{between(0, width - 1), between(0, height - 1), 1, 1};
      ChangeDetector detector;
      detector.look(format, image::whole(format), p.picture);
      detector.keep();
      EXPECT_EQ(detector.look(format, image::whole(format), p.picture), 0);
      detector.look(format, {part.x, part.y, width - part.x, height - part.y}, p.picture);
    }
  }
}

TEST(SeenPart, IsTheMiddleSquareOrThePartThatTilesCover) {
  const PictureFormat wide = packed_format(1920, 1080), tall = packed_format(360, 640);
  const image::TensorSpec clip = clip_spec();
  EXPECT_EQ(image::seen_part(wide, clip, Coverage::kSquash), image::whole(wide));
  EXPECT_EQ(image::seen_part(wide, clip, Coverage::kTiles), image::whole(wide));
  const Rect middle = image::seen_part(wide, clip, Coverage::kCentre);
  EXPECT_NEAR(middle.x, 420, 5);
  EXPECT_EQ(middle.y, 0);
  EXPECT_NEAR(middle.width, 1080, 10);
  EXPECT_EQ(middle.height, 1080);
  const Rect lower = image::seen_part(tall, clip, Coverage::kCentre);
  EXPECT_EQ(lower.x, 0);
  EXPECT_NEAR(lower.y, 140, 5);
  EXPECT_EQ(lower.width, 360);
  EXPECT_NEAR(lower.height, 360, 10);
}

TEST(SeenPart, RespectsOrientationPixelAspectAndCrop) {
  PictureFormat turned = packed_format(1920, 1080);
  turned.orientation.clockwise = 90;  // stands upright, 1080 wide
  const Rect middle = image::seen_part(turned, clip_spec(), Coverage::kCentre);
  EXPECT_NEAR(middle.x, 420, 5);
  EXPECT_EQ(middle.height, 1080);

  PictureFormat anamorphic = packed_format(720, 576);
  anamorphic.pixel_aspect = 64.0 / 45;  // 1024 wide on the screen
  EXPECT_NEAR(image::seen_part(anamorphic, clip_spec(), Coverage::kCentre).width, 405, 5);

  image::TensorSpec cut = clip_spec();
  cut.resize_to = 256;
  const Rect inner = image::seen_part(packed_format(256, 256), cut, Coverage::kCentre);
  EXPECT_EQ(inner, (Rect{16, 16, 224, 224}));
}

}  // namespace
}  // namespace bcp::test
