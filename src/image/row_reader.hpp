// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows of any stored format as pixels of red, green and blue, each rounded to what a byte can hold.
//
// Chroma is interpolated linearly between its samples, where the format says they sit, and the colours are clipped
// and rounded before anything is resized: resizing the planes first is cheaper and wrong, because clipping does not
// commute with it.

#pragma once

#include <array>
#include <vector>

#include "image/picture.hpp"
#include "image/pixel.hpp"

namespace bcp::image {

class RowReader {
 public:
  // Reads columns begin .. end - 1. REQUIRES: 0 <= begin < end <= format.width, and begin is even.
  RowReader(const PictureFormat& format, int begin, int end);

  // Call it once for each new frame: chroma rows are kept from one read() to the next.
  void start(const Picture& picture);
  // Writes row y: end - begin pixels.
  void read(int y, Pixel* out);

  // In which lanes read() leaves red, green and blue.
  std::array<int, 3> lanes() const { return lanes_; }

 private:
  struct ChromaRow {
    int y = -1;  // which row of the picture's chroma this is; -1: none
    // What the chroma adds to red, green and blue; one more sample on each side than the columns have.
    std::vector<Pixel> samples;
  };
  // A row between two others, sample by sample: near * (1 - share) + far * share.
  struct Blend {
    int near = 0, far = 0;
    float share = 0;
  };
  struct BlendedRow;

  void read_packed(const std::uint8_t* row, Pixel* out) const;
  void read_yuv(int y, Pixel* out);
  void add_full_chroma(const std::uint8_t* luma, const BlendedRow& chroma, Pixel* out) const;
  void add_halved_chroma(const std::uint8_t* luma, const BlendedRow& chroma, Pixel* out) const;
  void make_gray_table();
  void make_yuv_tables();
  Blend chroma_rows(int y) const;
  const ChromaRow& chroma_row(int y);

  PictureFormat format_;
  int begin_, end_;
  std::array<int, 3> lanes_{0, 1, 2};
  Picture picture_;
  std::array<Pixel, 256> luma_{};      // kGray: the pixel of each byte; kYuv: what each Y adds, and a half
  std::array<Pixel, 256> blue_, red_;  // kYuv: what each U and each V adds
  std::array<ChromaRow, 2> chroma_;    // neighbours are in different slots: row y is in slot y % 2
};

}  // namespace bcp::image
