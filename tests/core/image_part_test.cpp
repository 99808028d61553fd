// SPDX-License-Identifier: LGPL-2.1-or-later
// A part of a picture against the same part cut out separately.

#include <gtest/gtest.h>

#include <string>

#include "image/row_reader.hpp"
#include "image_reference.hpp"

namespace bcp::test {
namespace {

using image::Coverage;
using image::Layout;
using image::Orientation;
using image::Picture;
using image::PictureFormat;
using image::Preprocessor;
using image::Rect;

std::vector<float> run_part(const PictureFormat& format, const Picture& picture, const Rect& part, int size,
                            Coverage coverage = Coverage::kCentre) {
  auto preprocessor = Preprocessor::make(format, part, clip_spec(size), coverage);
  if (!preprocessor) return {};
  std::vector<float> tensor(preprocessor->tensor_size(), std::nanf(""));
  preprocessor->run(picture, tensor);
  return tensor;
}

// The part as a separate picture: three bytes per pixel, copied from the whole picture's colours.
struct CutOut {
  CutOut(const PictureFormat& from, const Picture& picture, const Rect& part)
      : format(packed_format(part.width, part.height)), bytes(index(part.width * part.height * 3)) {
    format.pixel_aspect = from.pixel_aspect;
    format.orientation = from.orientation;
    image::RowReader reader(from, image::plain_kernels());
    reader.start(picture);
    std::array<std::vector<std::uint8_t>, 3> row;
    for (auto& colour : row) colour.resize(index(from.width) + image::kSlack);
    for (int y = part.y; y < part.y + part.height; ++y) {
      reader.read(y, {0, index(from.width)}, {row[0].data(), row[1].data(), row[2].data()});
      for (int x = 0; x < part.width; ++x)
        for (int c = 0; c < 3; ++c)
          bytes[index(((y - part.y) * part.width + x) * 3 + c)] = row[index(c)][index(part.x + x)];
    }
  }

  std::vector<float> tensor(int size, Coverage coverage = Coverage::kCentre) const {
    return run(format, {{bytes.data()}, {std::ptrdiff_t{format.width} * 3}}, clip_spec(size), coverage);
  }

  PictureFormat format;
  std::vector<std::uint8_t> bytes;
};

std::string name_of(const Rect& part) {
  return std::to_string(part.width) + "x" + std::to_string(part.height) + "+" + std::to_string(part.x) + "+" +
         std::to_string(part.y);
}

// Even and odd positions and sizes, the corners, the whole.
constexpr Rect kParts[] = {{0, 0, 61, 47},  {10, 6, 32, 24}, {11, 6, 31, 24},  {10, 7, 32, 23},
                           {13, 9, 33, 17}, {0, 0, 16, 16},  {45, 31, 16, 16}, {44, 30, 17, 17}};

std::vector<PictureFormat> every_format() {
  std::vector<PictureFormat> all{packed_format(61, 47), packed_format(61, 47, 4, {2, 1, 0})};
  all.push_back(packed_format(61, 47));
  all.back().layout = Layout::kGray;
  for (const YuvLayout& layout : kYuvLayouts)
    for (const bool cosited : {false, true}) {
      all.push_back(yuv_format(61, 47, layout));
      all.back().color.cosited_x = all.back().color.cosited_y = cosited;
    }
  return all;
}

TEST(PartOfAPicture, EqualsACutOutPicture) {
  for (const PictureFormat& format : every_format()) {
    const TestPicture p(format, Content::kNoise, 3);
    for (const Rect& part : kParts) {
      const CutOut by_hand(format, p.picture, part);
      const auto expected = by_hand.tensor(24);
      ASSERT_FALSE(expected.empty());
      EXPECT_EQ(run_part(format, p.picture, part, 24), expected)
          << name_of(part) << " of luma step " << format.luma_step << ", chroma step " << format.chroma_step;
    }
  }
}

TEST(PartOfAPicture, CanBeSquashedOrTiled) {
  const PictureFormat format = yuv_format(61, 47, kNv12);
  const TestPicture p(format, Content::kNoise);
  const Rect part{7, 5, 45, 17};
  const CutOut by_hand(format, p.picture, part);
  for (const Coverage coverage : {Coverage::kSquash, Coverage::kTiles}) {
    EXPECT_EQ(run_part(format, p.picture, part, 24, coverage), by_hand.tensor(24, coverage));
  }
}

TEST(PartOfAPicture, IsTurnedUprightButMeasuredAsStored) {
  for (const int clockwise : {0, 90, 180, 270})
    for (const bool flip : {false, true}) {
      PictureFormat format = yuv_format(61, 47, kI420);
      format.orientation = {flip, clockwise};
      format.pixel_aspect = 1.25;
      const TestPicture p(format, Content::kNoise);
      const Rect part{9, 11, 37, 21};
      const CutOut by_hand(format, p.picture, part);
      for (const Coverage coverage : {Coverage::kCentre, Coverage::kTiles}) {
        EXPECT_EQ(run_part(format, p.picture, part, 24, coverage), by_hand.tensor(24, coverage)) << flip << clockwise;
      }
    }
}

TEST(PartOfAPicture, WorksInRowsThatRunUpwards) {
  for (const YuvLayout& layout : {kI420, kNv12}) {
    const PictureFormat format = yuv_format(61, 47, layout);
    const TestPicture p(format, Content::kNoise, 3);
    Picture upwards = p.picture;
    for (std::size_t plane = 0; plane < 3; ++plane) {
      const int rows = plane == 0 ? format.height : (format.height + 1) / 2;
      upwards.plane[plane] += (rows - 1) * upwards.stride[plane];
      upwards.stride[plane] = -upwards.stride[plane];
    }
    const Rect part{13, 9, 33, 17};
    const CutOut by_hand(format, upwards, part);
    EXPECT_EQ(run_part(format, upwards, part, 24), by_hand.tensor(24)) << layout.name;
    EXPECT_NE(run_part(format, upwards, part, 24), run_part(format, p.picture, part, 24)) << layout.name;
  }
}

TEST(PartOfAPicture, IsRefusedWhenOutsideOrTooSmall) {
  const PictureFormat format = packed_format(61, 47);
  for (const Rect& part : {Rect{-1, 0, 30, 30},
                           {0, -1, 30, 30},
                           {32, 0, 30, 30},
                           {0, 18, 30, 30},
                           {70, 50, 30, 30},
                           {2147483647, 0, 30, 30}}) {
    const auto made = Preprocessor::make(format, part, clip_spec(24), Coverage::kCentre);
    ASSERT_FALSE(made) << name_of(part);
    EXPECT_NE(made.error().message.find("inside"), std::string::npos) << made.error().message;
  }
  for (const Rect& part : {Rect{0, 0, 15, 30}, {0, 0, 30, 15}, {0, 0, 0, 0}, {5, 5, -20, 20}}) {
    const auto made = Preprocessor::make(format, part, clip_spec(24), Coverage::kCentre);
    ASSERT_FALSE(made) << name_of(part);
    EXPECT_NE(made.error().message.find("too small"), std::string::npos) << made.error().message;
  }
}

}  // namespace
}  // namespace bcp::test
