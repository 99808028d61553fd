// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels in plain C++: the reference for the others, and the fallback.

#include <algorithm>
#include <cstring>

#include "image/kernels.hpp"

namespace bcp::image {
namespace {

constexpr std::size_t kRows = 4;

void pack(const std::int32_t* weights, std::uint32_t* words) {
  std::memcpy(words, weights, 4 * sizeof *words);
}

template <std::size_t kStep>
void split(const std::uint8_t* pixels, std::size_t count, std::uint8_t* const* rows) {
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < kStep; ++k) rows[k][i] = pixels[kStep * i + k];
}

std::uint8_t to_byte(std::int32_t level) {
  return static_cast<std::uint8_t>(std::clamp(level, 0, 255));
}

// U and V in sixteenths of a level.
void convert(const YuvMatrix& matrix, int luma, int u, int v, std::size_t x, const PlanarRow& out) {
  const std::int32_t y = matrix.luma * luma;
  const std::int32_t red = matrix.red_v * v + matrix.bias[0];
  const std::int32_t green = matrix.green_u * u + matrix.green_v * v + matrix.bias[1];
  const std::int32_t blue = matrix.blue_u * u + matrix.bias[2];
  out[0][x] = to_byte((y + red) >> YuvMatrix::kShift);
  out[1][x] = to_byte((y + green) >> YuvMatrix::kShift);
  out[2][x] = to_byte((y + blue) >> YuvMatrix::kShift);
}

// U (0) or V (1) in quarters of a level.
int blended(const ChromaRows& chroma, std::size_t component, std::size_t sample) {
  const auto at = [&](const std::array<const std::uint8_t*, 2>& rows) -> int {
    return chroma.interleaved ? rows[0][2 * sample + component] : rows[component][sample];
  };
  return at(chroma.near) * chroma.near_share + at(chroma.far) * (4 - chroma.near_share);
}

void halved_chroma(const YuvMatrix& matrix, const std::uint8_t* luma, const ChromaRows& chroma, bool cosited,
                   std::size_t count, const PlanarRow& out) {
  for (std::size_t x = 0; x < count; ++x) {
    const std::size_t own = x / 2 + 1, other = x % 2 == 0 ? own - 1 : own + 1;
    const int own_share = !cosited ? 3 : x % 2 == 0 ? 4 : 2;
    const auto at = [&](std::size_t component) {
      return blended(chroma, component, own) * own_share + blended(chroma, component, other) * (4 - own_share);
    };
    convert(matrix, luma[x], at(0), at(1), x, out);
  }
}

void full_chroma(const YuvMatrix& matrix, const std::uint8_t* luma, const ChromaRows& chroma, std::size_t count,
                 const PlanarRow& out) {
  for (std::size_t x = 0; x < count; ++x)
    convert(matrix, luma[x], 4 * blended(chroma, 0, x), 4 * blended(chroma, 1, x), x, out);
}

void columns(const std::uint8_t* first_row, std::size_t apart, std::size_t quads, std::uint32_t* out,
             std::size_t stride) {
  for (std::size_t q = 0; q < quads; ++q)
    for (std::size_t r = 0; r < kRows; ++r) std::memcpy(out + q * stride + r, first_row + r * apart + 4 * q, 4);
}

void stack(const std::uint8_t* const* rows, std::size_t count, std::uint32_t* out) {
  auto* bytes = reinterpret_cast<std::uint8_t*>(out);
  for (std::size_t x = 0; x < count; ++x)
    for (std::size_t r = 0; r < 4; ++r) bytes[4 * x + r] = rows[r][x];
}

std::int32_t product(const std::uint32_t* quad, const std::uint32_t* words) {
  std::array<std::uint8_t, 4> bytes;
  std::array<std::int32_t, 4> weights;
  std::memcpy(bytes.data(), quad, sizeof bytes);
  std::memcpy(weights.data(), words, sizeof weights);
  return bytes[0] * weights[0] + bytes[1] * weights[1] + bytes[2] * weights[2] + bytes[3] * weights[3];
}

constexpr std::int32_t kHalf = 1 << (kWeightBits - 1);

// The weighted sum of output `entry` in row `row`; the quads of a row are `apart` words from each other.
std::int32_t sum_of(const QuadTable& table, const QuadTable::Entry& entry, const std::uint32_t* row,
                    std::size_t apart) {
  std::int32_t sum = 0;
  for (std::size_t q = 0; q < entry.count; ++q)
    sum += product(row + (entry.first + q) * apart, &table.words[entry.words + 4 * q]);
  return sum;
}

std::uint32_t quad_of(const std::array<std::uint8_t, kRows>& bytes) {
  std::uint32_t quad = 0;
  std::memcpy(&quad, bytes.data(), sizeof quad);
  return quad;
}

void along(const QuadTable& table, std::size_t begin, std::size_t end, const std::uint32_t* block, std::size_t width,
           std::uint32_t* const* out) {
  for (std::size_t i = begin; i < end; ++i)
    for (std::size_t c = 0; c < 3; ++c) {
      std::array<std::uint8_t, kRows> bytes;
      for (std::size_t r = 0; r < kRows; ++r)
        bytes[r] = to_byte((sum_of(table, table.entries[i], block + c * kRows + r, 3 * kRows) + kHalf) >> kWeightBits);
      out[0][c * width + i] = quad_of(bytes);
    }
}

void along_yuv(const YuvMatrix& matrix, const QuadTable& luma, const QuadTable& chroma, const PlanarBlocks& blocks,
               std::size_t width, std::uint32_t* const* out) {
  const auto sixteenths = [](const QuadTable& table, std::size_t i, const std::uint32_t* row) {
    constexpr int kShift = kWeightBits - 4;
    return std::clamp((sum_of(table, table.entries[i], row, kRows) + (1 << (kShift - 1))) >> kShift, 0, 255 * 16);
  };
  for (std::size_t i = 0; i < width; ++i) {
    std::array<std::array<std::uint8_t, kRows>, 3> rgb;
    for (std::size_t r = 0; r < kRows; ++r) {
      const std::int32_t y = matrix.luma_sixteenth() * sixteenths(luma, i, blocks[0] + r);
      const std::int32_t u = sixteenths(chroma, i, blocks[1] + r), v = sixteenths(chroma, i, blocks[2] + r);
      rgb[0][r] = to_byte((y + (matrix.red_v * v + matrix.bias[0])) >> YuvMatrix::kShift);
      rgb[1][r] = to_byte((y + (matrix.green_u * u + matrix.green_v * v + matrix.bias[1])) >> YuvMatrix::kShift);
      rgb[2][r] = to_byte((y + (matrix.blue_u * u + matrix.bias[2])) >> YuvMatrix::kShift);
    }
    for (std::size_t c = 0; c < 3; ++c) out[0][c * width + i] = quad_of(rgb[c]);
  }
}

void across(const QuadTable& table, const QuadTable::Entry& entry, const std::uint32_t* const* rows, std::size_t count,
            std::uint8_t* out) {
  for (std::size_t x = 0; x < count; ++x) {
    std::int32_t sum = kHalf;
    for (std::size_t q = 0; q < entry.count; ++q) sum += product(rows[q] + x, &table.words[entry.words + 4 * q]);
    out[x] = to_byte(sum >> kWeightBits);
  }
}

void tone(const ToneLine& line, const std::uint8_t* bytes, std::size_t count, float* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const float steps = static_cast<float>(bytes[i]) - line.middle;
    out[i] = (steps * line.factor + line.offset) + (steps * line.fine_factor + line.fine_offset);
  }
}

}  // namespace

const Kernels& plain_kernels() {
  static constexpr Kernels kernels{"plain",     kRows,   4,     pack,  split<2>, split<3>, split<4>,  halved_chroma,
                                   full_chroma, columns, stack, along, across,   across,   along_yuv, tone};
  return kernels;
}

}  // namespace bcp::image
