// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture from a binary PPM file.

#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "common/temporary.hpp"

namespace bcp::test {

// Red, green and blue bytes of each pixel. A file that cannot be read fails the test, and is empty.
struct Ppm {
  explicit Ppm(const std::string& path) {
    std::istringstream file(read(path));
    std::string magic;
    std::size_t most = 0;
    file >> magic >> width >> height >> most;
    file.get();
    bytes.resize(3 * width * height);
    EXPECT_TRUE(magic == "P6" && file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) << path;
  }

  int at(std::size_t x, std::size_t y, std::size_t channel) const {
    return static_cast<unsigned char>(bytes[3 * (y * width + x) + channel]);
  }

  std::size_t width = 0, height = 0;
  std::string bytes;
};

}  // namespace bcp::test
