// SPDX-License-Identifier: LGPL-2.1-or-later
// Borrowed pixels and their format.
//
// PictureFormat is constant for a stream (a Preprocessor is built for one); Picture points to the bytes of one frame.
// Both are plain values: they own nothing and may be copied freely.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bcp::image {

enum class Layout {
  kPacked,  // red, green and blue in each pixel of plane 0: all 3- and 4-byte orders
  kGray,    // one byte per pixel in plane 0
  kYuv,     // one byte for each Y, U and V, at fixed steps from the first ones, where planes 0, 1 and 2 point; chroma
            // may be halved either way, odd sizes rounded up: I420, NV12, YUY2, Y444 and their relatives
};

// How Y, U, V are converted to red, green, blue.
struct YuvColor {
  bool operator==(const YuvColor&) const = default;

  double kr = 0.299;  // the matrix: luma = kr R + (1 - kr - kb) G + kb B; BT.601 here
  double kb = 0.114;
  bool full_range = false;  // false: Y in 16..235, U and V in 16..240
  // The position of a chroma sample shared by two luma samples: at the first of them, or halfway between.
  bool cosited_x = true;
  bool cosited_y = false;
};

// How to turn the picture upright, as in GStreamer's image-orientation tag: first flip left to right (if set), then
// rotate clockwise.
struct Orientation {
  bool operator==(const Orientation&) const = default;

  bool flip = false;
  int clockwise = 0;  // 0, 90, 180, 270
};

struct PictureFormat {
  Layout layout = Layout::kPacked;
  int width = 0, height = 0;
  int pixel_step = 3;                      // kPacked: bytes from one pixel to the next
  std::array<int, 3> rgb_offset{0, 1, 2};  // kPacked: where red, green and blue are in a pixel
  int luma_step = 1;                       // kYuv: bytes from one Y to the next; 2 in YUY2
  int chroma_step = 1;                     // kYuv: bytes from one U to the next, and from one V; 2 in NV12, 4 in YUY2
  int chroma_shift_x = 1;                  // kYuv: 1 if two columns share their chroma, else 0
  int chroma_shift_y = 1;                  // kYuv: 1 if two rows share their chroma, else 0
  YuvColor color;                          // kYuv; kGray reads only full_range
  double pixel_aspect = 1.0;               // width of a pixel over its height, as it is stored (before turning)
  Orientation orientation;

  bool operator==(const PictureFormat&) const = default;
};

// Pixels of a picture as stored: before rotation.
struct Rect {
  int x = 0, y = 0, width = 0, height = 0;

  bool operator==(const Rect&) const = default;
};

inline Rect whole(const PictureFormat& format) {
  return {0, 0, format.width, format.height};
}

// Valid only while the owner keeps the memory mapped.
struct Picture {
  std::array<const std::uint8_t*, 3> plane{};
  std::array<std::ptrdiff_t, 3> stride{};  // bytes from one row to the next; may be larger than a row
};

}  // namespace bcp::image
