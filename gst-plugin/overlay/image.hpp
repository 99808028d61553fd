// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A picture to blend over a frame: premultiplied 0xAARRGGBB pixels in native byte order, the format of cairo and
// GstVideoOverlayComposition.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bcp::overlay {

// Positions and sizes of pictures are multiples of this. No format shares a chroma sample among more pixels, so a
// picture never covers part of a sample.
inline constexpr int kGrid = 4;

constexpr int grid_up(int pixels) {
  return (pixels + kGrid - 1) / kGrid * kGrid;
}
constexpr int grid_down(int pixels) {
  return pixels / kGrid * kGrid;
}

struct Image {
  int width = 0, height = 0;          // multiples of kGrid
  std::vector<std::uint32_t> pixels;  // row by row

  Image() = default;
  Image(int w, int h) : width(w), height(h), pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}

  const std::uint32_t* row(int y) const { return pixels.data() + std::ptrdiff_t{y} * width; }
  std::uint32_t* row(int y) { return pixels.data() + std::ptrdiff_t{y} * width; }
};

constexpr unsigned alpha_of(std::uint32_t pixel) {
  return pixel >> 24;
}

}  // namespace bcp::overlay
