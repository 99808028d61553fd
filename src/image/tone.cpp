// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/tone.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace bcp::image {
namespace {

double tone(int byte, float mean, float std) {
  return (byte / 255.0 - double{mean}) / double{std};
}

}  // namespace

ToneTable tone_table(float mean, float std) {
  ToneTable table{};
  for (int byte = 0; byte < 256; ++byte)
    table[static_cast<std::size_t>(byte)] = static_cast<float>(tone(byte, mean, std));
  return table;
}

ToneLine tone_line(float mean, float std) {
  const auto middle = static_cast<int>(std::clamp(std::nearbyint(255 * double{mean}), 0.0, 255.0));
  const double factor = 1 / (255 * double{std}), offset = tone(middle, mean, std);
  // Multiples of 2^-bits up to the largest number on the way have no more digits than a float.
  const int bits = std::numeric_limits<float>::digits - 1 - std::ilogb(255 * factor + std::abs(offset));
  const auto coarse = [bits](double value) {
    return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(value, bits)), -bits));
  };
  ToneLine line{static_cast<float>(middle), coarse(factor), coarse(offset)};
  line.fine_factor = static_cast<float>(factor - double{line.factor});
  line.fine_offset = static_cast<float>(offset - double{line.offset});
  return line;
}

}  // namespace bcp::image
