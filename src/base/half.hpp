// SPDX-License-Identifier: LGPL-2.1-or-later
// Converts 16-bit floating-point numbers to 32 bits.

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace bcp {

// IEEE 754 binary16: 1 sign, 5 exponent, 10 mantissa bits.
inline float from_half(std::uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int mantissa = half & 1023;
  float value = 0;
  if (exponent == 31) {
    value = mantissa ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    value = std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  }
  return half & 0x8000 ? -value : value;
}

// bfloat16: the upper half of a binary32.
inline float from_brain(std::uint16_t brain) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(brain) << 16);
}

}  // namespace bcp
