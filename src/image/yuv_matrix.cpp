// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/yuv_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace bcp::image {

std::optional<YuvMatrix> yuv_matrix(const YuvColor& color) {
  const auto [kr, kb, full_range, cosited_x, cosited_y] = color;
  const double kg = 1 - kr - kb;
  const double luma = full_range ? 1 : 255.0 / 219, chroma = full_range ? 1 : 255.0 / 224;
  const double red_v = 2 * (1 - kr) * chroma, blue_u = 2 * (1 - kb) * chroma;
  const double green_u = -kb / kg * blue_u, green_v = -kr / kg * red_v;

  const double largest = 255 * luma + 128 * std::max({red_v, blue_u, -green_u - green_v});
  if (largest >= std::ldexp(1, 31 - YuvMatrix::kShift)) return std::nullopt;
  if (std::max({red_v, blue_u, -green_u, -green_v}) >= YuvMatrix::kMostChroma) return std::nullopt;

  const auto whole_number = [](double value, int bits) {
    return static_cast<std::int32_t>(std::lround(std::ldexp(value, bits)));
  };
  YuvMatrix m;
  m.luma = whole_number(luma, YuvMatrix::kShift);
  m.red_v = whole_number(red_v, YuvMatrix::kShift - 4);
  m.blue_u = whole_number(blue_u, YuvMatrix::kShift - 4);
  m.green_u = whole_number(green_u, YuvMatrix::kShift - 4);
  m.green_v = whole_number(green_v, YuvMatrix::kShift - 4);
  const std::int32_t black = (1 << (YuvMatrix::kShift - 1)) - (full_range ? 0 : 16 * m.luma);  // and a half, to round
  constexpr std::int32_t kNoColor = 128 * 16;
  m.bias = {black - kNoColor * m.red_v, black - kNoColor * (m.green_u + m.green_v), black - kNoColor * m.blue_u};
  return m;
}

}  // namespace bcp::image
