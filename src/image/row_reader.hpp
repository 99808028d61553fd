// SPDX-License-Identifier: LGPL-2.1-or-later
// Converts rows of any stored format to rows of red, green and blue bytes.
//
// Chroma is interpolated linearly between its samples, at the positions the format defines, and the colours are clipped
// and rounded before resizing. Resizing the planes first is cheaper but only close, because clipping does not commute
// with it: see YuvResizer.
//
// Reads no byte outside the rows and columns needed for the requested columns.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "image/kernels.hpp"
#include "image/picture.hpp"
#include "image/yuv_matrix.hpp"

namespace bcp::image {

class RowReader {
 public:
  // REQUIRES: yuv_matrix() accepts the colours of a format that has any.
  RowReader(const PictureFormat& format, const Kernels& kernels);

  // Some columns of a row. REQUIRES: x is even, count <= kMaxSpan.
  struct Span {
    int x = 0;
    std::size_t count = 0;
  };

  // Call once for each new frame.
  void start(const Picture& picture);
  // Writes `count` bytes for each colour, and what is left to a multiple of 64.
  void read(int y, const Span& span, const PlanarRow& out);
  // Prefetches the data of a later read(): the processor cannot predict the jumps between rows.
  void prefetch(int y, const Span& span) const;

 private:
  // A row between two others: near_share quarters of one and the rest of the other.
  struct Blend {
    int near = 0, far = 0, near_share = 4;
  };
  using Room = std::array<std::uint8_t, 4 * kMaxSpan + 2 * kSlack>;

  void read_packed(const std::uint8_t* row, const Span& span, const PlanarRow& out);
  void read_gray(const std::uint8_t* row, const Span& span, const PlanarRow& out) const;
  void read_halved(int y, const Span& span, const PlanarRow& out);
  void read_pairs(int y, const Span& span, const PlanarRow& out);
  void read_full(int y, const Span& span, const PlanarRow& out);
  const std::uint8_t* luma_of(int y, const Span& span);
  Blend chroma_rows(int y) const;
  // U and V of chroma row y, from sample `first` on.
  std::array<const std::uint8_t*, 2> chroma_of(int y, int first, std::size_t count, std::array<Room, 2>& rooms);
  void convert_halved(const std::uint8_t* luma, const ChromaRows& chroma, std::size_t count,
                      const PlanarRow& out) const;
  int last_sample() const { return (format_.width - 1) >> format_.chroma_shift_x; }

  PictureFormat format_;
  const Kernels& kernels_;
  YuvMatrix matrix_, swapped_;  // swapped: U for V and red for blue
  std::array<std::uint8_t, 256> gray_{};

  Picture picture_;
  bool interleaved_ = false;  // U and V alternate: NV12, NV21
  bool pairs_ = false;        // two Y, a U and a V in four bytes: YUY2, UYVY and their relatives
  bool v_first_ = false;      // V first, if interleaved_
  bool luma_first_ = false;   // luma first, if pairs_

  Room luma_room_{}, spare_room_{};
  std::array<Room, 2> near_room_{}, far_room_{};
};

}  // namespace bcp::image
