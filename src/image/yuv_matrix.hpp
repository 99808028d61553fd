// SPDX-License-Identifier: LGPL-2.1-or-later
// What a colour matrix is in whole numbers.

#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "image/picture.hpp"

namespace bcp::image {

// Red = (luma * Y + red_v * V + bias[0]) >> shift and so on, clipped to a byte. U and V count sixteenths of a level,
// because that is what comes of blending two rows and two columns in quarters. The bias also rounds.
//
// For the matrices of television `shift` is 21, and the sum is within 1/2000 of a level of the real number.
struct YuvMatrix {
  int shift = 0;  // kMinShift .. kMaxShift
  std::int32_t luma = 0, red_v = 0, green_u = 0, green_v = 0, blue_u = 0;
  std::array<std::int32_t, 3> bias{};

  static constexpr int kMinShift = 16, kMaxShift = 21;
};

// None for a matrix whose sums do not fit: its kr + kb is too close to 1.
std::optional<YuvMatrix> yuv_matrix(const YuvColor& color);

}  // namespace bcp::image
