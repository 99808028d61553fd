// SPDX-License-Identifier: LGPL-2.1-or-later
// A colour matrix in integers.

#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "image/picture.hpp"

namespace bcp::image {

// Red = (luma * Y + red_v * V + bias[0]) >> kShift and so on, clipped to a byte. U and V are in sixteenths of a level,
// from blending two rows and two columns in quarters. The bias also rounds.
//
// The sum is within 1/1000 of a level of the real number, and gray (U and V 128) is rounded like the real number.
struct YuvMatrix {
  static constexpr int kShift = 21;      // leaves room for levels from -1024 to 1023 before they are clipped
  static constexpr int kMostChroma = 4;  // factors of U and V are smaller: kernels split them into 16-bit digits

  std::int32_t luma = 0, red_v = 0, green_u = 0, green_v = 0, blue_u = 0;
  std::array<std::int32_t, 3> bias{};

  // The factor of luma in sixteenths of a level, like those of chroma.
  std::int32_t luma_sixteenth() const { return (luma + 8) >> 4; }
};

// Empty for a matrix with less than about a sixth of green, whose sums do not fit. Television standards have more than
// half.
std::optional<YuvMatrix> yuv_matrix(const YuvColor& color);

}  // namespace bcp::image
