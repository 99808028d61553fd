// SPDX-License-Identifier: LGPL-2.1-or-later
// Resizes Y, U and V as they are stored, then converts to red, green and blue: close to the bytes of RgbResizer in half
// of the time, because chroma is halved and only the small picture is converted.
//
// The weights of chroma include its interpolation, at the positions that the format defines. So the sums are those of
// RgbResizer. Different are only their rounding, and colours outside of red, green and blue, which RgbResizer clips
// before it resizes.
//
// Thread safety: none.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "image/filter_table.hpp"
#include "image/kernels.hpp"
#include "image/picture.hpp"
#include "image/plane_resizer.hpp"
#include "image/tensor_writer.hpp"
#include "image/yuv_matrix.hpp"

namespace bcp::image {

class YuvResizer {
 public:
  // Whether pictures of this format can be resized: those with luma in a plane of its own.
  static bool takes(const PictureFormat& format);

  // For a part of such pictures. REQUIRES: takes(format); values that Preprocessor::make accepts.
  YuvResizer(const PictureFormat& format, const Rect& part, Filter filter, const TensorWriter& writer,
             const Kernels& kernels);

  // Resizes the picture and writes it with the writer passed to the constructor, or a copy of it. REQUIRES: if the
  // format has a chroma step of 2, U and V alternate.
  void run(const Picture& picture, const TensorWriter& writer, float* tensor);

 private:
  YuvResizer(const PictureFormat& format, const FilterTable& columns, const FilterTable& rows, const Kernels& kernels);
  void write(std::size_t first, std::size_t count, const std::uint32_t* quads, const TensorWriter& writer,
             float* tensor);

  const Kernels& kernels_;
  YuvMatrix matrix_;
  std::size_t width_, height_;
  PlaneResizer luma_;
  std::vector<PlaneResizer> chroma_;     // U and V, or both together
  AlignedVector<std::uint32_t> turned_;  // red, green and blue as quads of rows
  AlignedVector<std::uint8_t> rows_;     // the same as rows: four of red, of green and of blue
};

}  // namespace bcp::image
