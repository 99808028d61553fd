// SPDX-License-Identifier: LGPL-2.1-or-later
// Six pictures that tests and the Python libraries they are compared with both compute.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/picture.hpp"

namespace bcp::test {

// Packed red, green and blue: picture() of tests/data/pillow/generate.py.
struct PatternPicture {
  static constexpr std::array<std::array<int, 2>, 6> kShapes = {
      {{331, 257}, {199, 419}, {640, 361}, {224, 160}, {160, 288}, {352, 224}}};

  // REQUIRES: 0 <= number < 6.
  explicit PatternPicture(int number) {
    format.width = kShapes[static_cast<std::size_t>(number)][0];
    format.height = kShapes[static_cast<std::size_t>(number)][1];
    for (int y = 0; y < format.height; ++y)
      for (int x = 0; x < format.width; ++x) {
        const int noise = ((x * 7919) ^ (y * 104729) ^ (number * 1299709)) >> 4;
        const int blue = (x / 9 + y / 6) % 2 == 0 ? 200 : 30;
        for (const int value : {x * 3 + y * 2 + noise % 61, y * 5 + number * 40 + noise % 53, blue + noise % 47})
          bytes.push_back(static_cast<std::uint8_t>(value % 256));
      }
  }

  image::Picture picture() const { return {{bytes.data()}, {std::ptrdiff_t{3} * format.width}}; }

  image::PictureFormat format;
  std::vector<std::uint8_t> bytes;
};

}  // namespace bcp::test
