// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Random numbers from a seed, the same on every machine: the engine is defined by the C++ standard, and the rest is
// plain arithmetic. The standard's distributions and std::shuffle differ between libraries.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>

namespace bcp::eval {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // Below `bound`, all equally likely. REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t uneven = (0 - bound) % bound;  // 2^64 mod bound: these would be too frequent
    std::uint64_t drawn = engine_();
    while (drawn < uneven) drawn = engine_();
    return drawn % bound;
  }

  // At least 0 and below 1.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  // With mean 0 and variance 1, bell-shaped: the sum of four uniform 16-bit numbers, from one draw.
  double bell() {
    const std::uint64_t bits = engine_();
    const std::uint64_t sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
    return (static_cast<double>(sum) - 2 * 65535.0) * kBellScale;
  }

  template <typename List>
  void shuffle(List& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

 private:
  // The variance of one of them is (2^32 - 1) / 12: the square root of 3 / (2^32 - 1).
  static constexpr double kBellScale = 2.6428997921303018e-05;
  std::mt19937_64 engine_;
};

}  // namespace bcp::eval
