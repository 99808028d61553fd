// SPDX-License-Identifier: LGPL-2.1-or-later
// Converts to red, green and blue, then resizes: Pillow's bytes.
//
// Source rows pass through a ring as tall as the vertical filter, so that the working data stays in the cache.
//
// Pillow resizes the upright picture along its rows first. If the picture must be turned by 90 degrees, these are the
// stored columns, so the order of the passes is swapped: each pass clips, so the order changes the result.
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
#include "image/row_reader.hpp"
#include "image/spans.hpp"
#include "image/tensor_writer.hpp"

namespace bcp::image {

class RgbResizer {
 public:
  // For a part of such pictures. REQUIRES: values that Preprocessor::make accepts.
  RgbResizer(const PictureFormat& format, const Rect& part, Filter filter, const TensorWriter& writer,
             const Kernels& kernels);

  // Resizes the picture and writes it with the writer passed to the constructor, or a copy of it.
  void run(const Picture& picture, const TensorWriter& writer, float* tensor);

 private:
  void load_along(std::size_t quad);
  void load_stacked(std::size_t quad);
  void read_lines(std::size_t quad, std::size_t count, std::size_t x);
  void across(std::size_t row, std::uint8_t* out);
  void finish_turned(std::size_t first_row, std::size_t count, const TensorWriter& writer, float* tensor);

  std::size_t width() const { return column_quads_.entries.size(); }
  // Red, green and blue of a finished row, whose bytes are `step` apart.
  std::array<const std::uint8_t*, 3> colors(const std::uint8_t* line, std::size_t step) const {
    return {line, line + width() * step, line + 2 * width() * step};
  }
  std::uint32_t* ring_row(std::size_t quad) { return &ring_[quad % ring_quads_ * ring_width_]; }

  Rect part_;
  const Kernels& kernels_;
  bool columns_first_;
  FilterTable columns_, rows_;  // relative to the part; the reader's coordinates are those of the picture
  int left_;                    // the first source column read: even, because chroma comes in pairs
  QuadTable column_quads_, row_quads_;
  RowReader reader_;
  Spans spans_;

  AlignedVector<std::uint8_t> lines_;   // a span of the rows that the kernels take at once, three colours each
  AlignedVector<std::uint32_t> block_;  // rows as quads of columns, before the pass along them
  std::size_t ring_quads_, ring_width_;
  AlignedVector<std::uint32_t> ring_;        // quads of rows, before the pass across them; quad q is at q % ring_quads_
  std::vector<const std::uint32_t*> stack_;  // the rows of the ring for one output row
  AlignedVector<std::uint8_t> finished_;     // output of the pass across rows
  AlignedVector<std::uint32_t> turned_;      // columns first: output of the pass along columns
};

}  // namespace bcp::image
