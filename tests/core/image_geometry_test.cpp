// SPDX-License-Identifier: LGPL-2.1-or-later
// Which part of the picture the model sees, and its orientation.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "image_reference.hpp"

namespace bcp::test {
namespace {

using image::Coverage;
using image::Orientation;
using image::PictureFormat;
using image::Preprocessor;

constexpr Orientation kOrientations[] = {{false, 0}, {false, 90}, {false, 180}, {false, 270},
                                         {true, 0},  {true, 90},  {true, 180},  {true, 270}};

int tiles_of(int width, int height, double pixel_aspect = 1) {
  PictureFormat format = packed_format(width, height);
  format.pixel_aspect = pixel_aspect;
  const auto p = Preprocessor::make(format, clip_spec(32), Coverage::kTiles);
  return p ? p->tiles() : -1;
}

// The tile of `size` pixels at (x, y) of the resized picture.
std::vector<double> tile(const RgbImage& resized_picture, int x, int y, int size) {
  return normalised(cropped(resized_picture, x, y, size), clip_spec(size));
}

template <typename T>
std::vector<T> joined(std::vector<T> a, const std::vector<T>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(Crop, RoundsTheLongerSideForModelsTrainedThatWay) {
  // 40 * 100 / 61 = 65.57: rounded 66, and 13 of the remaining 26; rounded down 65, and 12, half of 25 to even.
  image::TensorSpec rounded = clip_spec(40);
  rounded.crop = image::Crop::kRounded;
  const PictureFormat wide = packed_format(100, 61), tall = packed_format(61, 100);
  const TestPicture p(wide, Content::kNoise, 3), q(tall, Content::kNoise, 4);
  EXPECT_LE(difference(run(wide, p.picture, rounded), tile(resized(to_rgb(wide, p.picture), 66, 40), 13, 0, 40)).worst,
            kOneLevel);
  EXPECT_LE(difference(run(tall, q.picture, rounded), tile(resized(to_rgb(tall, q.picture), 40, 66), 0, 13, 40)).worst,
            kOneLevel);
  EXPECT_GT(difference(run(wide, p.picture, clip_spec(40)), run(wide, p.picture, rounded)).worst, kOneLevel);
  const PictureFormat odd = packed_format(101, 60);  // 67.33: 67, and 13 of the remaining 27
  const TestPicture r(odd, Content::kNoise, 5);
  EXPECT_LE(difference(run(odd, r.picture, rounded), tile(resized(to_rgb(odd, r.picture), 67, 40), 13, 0, 40)).worst,
            kOneLevel);
}

TEST(Orientation, OfEveryKindShowsTheUprightPicture) {
  for (const Orientation& orientation : kOrientations)
    for (const auto& [width, height] : {std::pair{90, 61}, {53, 120}, {48, 48}}) {
      PictureFormat format = packed_format(width, height);
      format.orientation = orientation;
      const TestPicture p(format, Content::kNoise, 3);
      const RgbImage turned = upright(to_rgb(format, p.picture), orientation);
      const Difference d = difference(run(format, p.picture, clip_spec(40)), clip_reference(turned, clip_spec(40)));
      EXPECT_LE(d.worst, kOneLevel) << orientation.flip << orientation.clockwise << " " << width << "x" << height;
      EXPECT_LE(d.mean, kOneLevel / 1000) << orientation.flip << orientation.clockwise << " " << width << "x" << height;
    }
}

TEST(Orientation, OrdersTilesAsInTheUprightPicture) {
  for (const Orientation& orientation : kOrientations) {
    PictureFormat format = packed_format(100, 50);
    format.orientation = orientation;
    const TestPicture p(format, Content::kSmooth);
    const RgbImage turned = upright(to_rgb(format, p.picture), orientation);
    const bool wide = turned.width > turned.height;
    const RgbImage small = wide ? resized(turned, 64, 32) : resized(turned, 32, 64);
    const auto expected = joined(tile(small, 0, 0, 32), tile(small, wide ? 32 : 0, wide ? 0 : 32, 32));
    const Difference d = difference(run(format, p.picture, clip_spec(32), Coverage::kTiles), expected);
    EXPECT_LE(d.worst, kOneLevel) << orientation.flip << orientation.clockwise;
  }
}

TEST(PixelAspect, StretchesThePictureToItsDisplayedShape) {
  PictureFormat format = packed_format(72, 57);
  format.pixel_aspect = 16.0 / 15;  // displayed 76.8 x 57
  const TestPicture p(format, Content::kNoise);
  const RgbImage shown = resized(to_rgb(format, p.picture), 53, 40);  // 40 * 76.8 / 57 = 53.9
  const Difference d = difference(run(format, p.picture, clip_spec(40)), tile(shown, 6, 0, 40));
  EXPECT_LE(d.worst, kOneLevel);
}

TEST(PixelAspect, MayTurnAWidePictureIntoATallOne) {
  PictureFormat format = packed_format(96, 60);
  format.pixel_aspect = 0.5;  // displayed 48 x 60
  const TestPicture p(format, Content::kNoise);
  const RgbImage shown = resized(to_rgb(format, p.picture), 32, 40);
  const Difference d = difference(run(format, p.picture, clip_spec(32)), tile(shown, 0, 4, 32));
  EXPECT_LE(d.worst, kOneLevel);
}

TEST(PixelAspect, IsThatOfTheStoredPixelsInAnyOrientation) {
  PictureFormat format = packed_format(60, 60);
  format.pixel_aspect = 2;
  format.orientation.clockwise = 90;  // displayed 120 x 60, upright 60 x 120
  const TestPicture p(format, Content::kSmooth);
  const RgbImage shown = resized(upright(to_rgb(format, p.picture), format.orientation), 32, 64);
  const Difference d = difference(run(format, p.picture, clip_spec(32)), tile(shown, 0, 16, 32));
  EXPECT_LE(d.worst, kOneLevel);
}

TEST(PixelAspect, ThatIsNotExactInBinaryStillMakesASquare) {
  for (int k = 2; k <= 300; ++k) {
    EXPECT_EQ(tiles_of(11 * k, 12 * k, 12.0 / 11), 1) << k;  // in doubles, 11 k * 12 / 11 is not always 12 k
    EXPECT_EQ(tiles_of(22 * k, 12 * k, 12.0 / 11), 2) << k;
  }
}

TEST(Coverage, CentreRoundsItsCropLikePython) {
  // 32 * 37 / 32 = 37: half of 5 is 2.5, which rounds to 2; half of 7 is 3.5, which rounds to 4.
  for (const auto& [width, left] : {std::pair{37, 2}, {39, 4}}) {
    const TestPicture p(packed_format(width, 32), Content::kNoise);
    const Difference d =
        difference(run(p.format, p.picture, clip_spec(32)), tile(to_rgb(p.format, p.picture), left, 0, 32));
    EXPECT_LE(d.worst, 1e-5) << width;
  }
}

TEST(Coverage, SquashShowsTheWholePicture) {
  const TestPicture p(packed_format(120, 50), Content::kNoise);
  const RgbImage whole = resized(to_rgb(p.format, p.picture), 32, 32);
  const Difference d = difference(run(p.format, p.picture, clip_spec(32), Coverage::kSquash), tile(whole, 0, 0, 32));
  EXPECT_LE(d.worst, kOneLevel);
}

TEST(Coverage, TilesAreTheFewestThatCoverThePicture) {
  EXPECT_EQ(tiles_of(64, 64), 1);
  EXPECT_EQ(tiles_of(65, 64), 2);
  EXPECT_EQ(tiles_of(640, 360), 2);
  EXPECT_EQ(tiles_of(360, 640), 2);
  EXPECT_EQ(tiles_of(128, 64), 2);
  EXPECT_EQ(tiles_of(129, 64), 3);
  EXPECT_EQ(tiles_of(512, 64), 8);
  EXPECT_EQ(tiles_of(513, 64), image::kMaxTiles);
  EXPECT_EQ(tiles_of(65536, 16), image::kMaxTiles);
}

TEST(Coverage, TilesReachFromOneEndToTheOther) {
  const TestPicture wide(packed_format(160, 64), Content::kNoise);
  const RgbImage small = resized(to_rgb(wide.format, wide.picture), 80, 32);
  const auto expected = joined(joined(tile(small, 0, 0, 32), tile(small, 24, 0, 32)), tile(small, 48, 0, 32));
  EXPECT_LE(difference(run(wide.format, wide.picture, clip_spec(32), Coverage::kTiles), expected).worst, kOneLevel);

  const TestPicture tall(packed_format(40, 60), Content::kNoise);
  const RgbImage thin = resized(to_rgb(tall.format, tall.picture), 32, 48);
  const auto both = joined(tile(thin, 0, 0, 32), tile(thin, 0, 16, 32));
  EXPECT_LE(difference(run(tall.format, tall.picture, clip_spec(32), Coverage::kTiles), both).worst, kOneLevel);
}

TEST(Coverage, TilesOfAVeryLongPictureAreSpreadEvenly) {
  for (const bool wide : {true, false}) {
    const TestPicture p(wide ? packed_format(480, 20) : packed_format(20, 480), Content::kNoise);
    const RgbImage small =
        wide ? resized(to_rgb(p.format, p.picture), 384, 16) : resized(to_rgb(p.format, p.picture), 16, 384);
    std::vector<double> expected;
    for (int i = 0; i < image::kMaxTiles; ++i) {
      const int start = static_cast<int>(std::nearbyint(i * (384 - 16) / 7.0));
      expected = joined(expected, tile(small, wide ? start : 0, wide ? 0 : start, 16));
    }
    EXPECT_LE(difference(run(p.format, p.picture, clip_spec(16), Coverage::kTiles), expected).worst, kOneLevel) << wide;
  }
}

// ---- errors

std::string refusal(const PictureFormat& format, const image::TensorSpec& spec = clip_spec()) {
  const auto p = Preprocessor::make(format, spec, Coverage::kCentre);
  return p ? "" : p.error().message;
}

TEST(Preprocessor, RefusesSmallPicturesWithTheirSizeAndTheSmallestOne) {
  for (const auto& [width, height] : {std::pair{15, 400}, {400, 15}, {1, 1}, {0, 0}, {-5, 100}}) {
    const std::string message = refusal(packed_format(width, height));
    EXPECT_NE(message.find(std::to_string(width) + "x" + std::to_string(height)), std::string::npos) << message;
    EXPECT_NE(message.find("16"), std::string::npos) << message;
  }
  EXPECT_EQ(refusal(packed_format(16, 16)), "");
}

TEST(Preprocessor, RefusesInvalidFormats) {
  const PictureFormat good = packed_format(64, 64);
  ASSERT_EQ(refusal(good), "");
  EXPECT_NE(refusal(packed_format(70000, 64)), "");
  EXPECT_NE(refusal(packed_format(std::numeric_limits<int>::max(), std::numeric_limits<int>::max())), "");
  for (const double aspect : {0.0, -1.0, double{NAN}, double{INFINITY}, 1e-9, 1e9}) {
    PictureFormat bad = good;
    bad.pixel_aspect = aspect;
    EXPECT_NE(refusal(bad), "") << aspect;
  }
  for (const int turn : {45, -90, 360}) {
    PictureFormat bad = good;
    bad.orientation.clockwise = turn;
    EXPECT_NE(refusal(bad), "") << turn;
  }
  EXPECT_NE(refusal(packed_format(64, 64, 2)), "");
  EXPECT_NE(refusal(packed_format(64, 64, 8)), "");
  EXPECT_NE(refusal(packed_format(64, 64, 3, {0, 1, 3})), "");
  EXPECT_NE(refusal(packed_format(64, 64, 4, {-1, 1, 3})), "");
  for (const auto field : {&PictureFormat::luma_step, &PictureFormat::chroma_step, &PictureFormat::chroma_shift_x,
                           &PictureFormat::chroma_shift_y})
    for (const int value : {-1, 0, 2}) {
      PictureFormat bad = yuv_format(64, 64, kI420);
      bad.*field = value;
      const bool step = field == &PictureFormat::luma_step || field == &PictureFormat::chroma_step;
      EXPECT_EQ(refusal(bad) == "", step ? value > 0 : value == 0) << value << ": " << refusal(bad);
    }
  for (const auto& [kr, kb] : {std::pair{0.0, 0.1}, {0.5, 0.5}, {double{NAN}, 0.1}}) {
    PictureFormat bad = yuv_format(64, 64, kI420);
    bad.color.kr = kr;
    bad.color.kb = kb;
    EXPECT_NE(refusal(bad), "") << kr;
  }
}

TEST(Preprocessor, RefusesInvalidModels) {
  const PictureFormat good = packed_format(64, 64);
  for (const int size : {0, -1, 100000}) EXPECT_NE(refusal(good, clip_spec(size)), "") << size;
  image::TensorSpec spec = clip_spec();
  spec.std[1] = 0;
  EXPECT_NE(refusal(good, spec), "");
  spec = clip_spec();
  spec.mean[2] = NAN;
  EXPECT_NE(refusal(good, spec), "");
}

}  // namespace
}  // namespace bcp::test
