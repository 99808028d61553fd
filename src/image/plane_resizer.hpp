// SPDX-License-Identifier: LGPL-2.1-or-later
// The pass across the rows of a stored plane: luma, U, V, or U and V that alternate. It comes first here, because it
// needs fewer instructions for a sample than the pass along rows. Weights are rounded() to fewer bits than Pillow's.
//
// Source rows pass through a ring as tall as the vertical filter, so that the working data stays in the cache.
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

namespace bcp::image {

class PlaneResizer {
 public:
  // A row of the plane has `samples` of one byte for each of its `channels`: 1 or 2, which alternate.
  PlaneResizer(int samples, std::size_t channels, const FilterTable& columns, const FilterTable& rows,
               const Kernels& kernels);

  // For the pass along rows.
  const QuadTable& columns() const { return column_quads_; }

  // Call once for each new frame.
  void start(const std::uint8_t* plane, std::ptrdiff_t stride);
  // Makes so many rows of the result, from `first` on. REQUIRES: count <= Kernels::rows; all rows of a frame, in order.
  void resize(std::size_t first, std::size_t count);
  // These rows of a channel as quads of columns: [quad][row].
  const std::uint32_t* block(std::size_t channel) const { return &blocks_[channel * block_size_]; }

 private:
  void load(std::size_t quad);
  void resize_row(std::size_t row, std::size_t line);
  std::uint32_t* ring_row(std::size_t quad) { return &ring_[quad % ring_quads_ * ring_size_]; }
  std::uint8_t* line(std::size_t channel, std::size_t row) {
    return &lines_[(channel * kernels_.rows + row) * line_size_];
  }

  std::size_t channels_;
  const Kernels& kernels_;
  int top_, bottom_;         // the first row read, and the one after the last
  std::size_t left_, used_;  // the first byte read of a row, and how many
  bool have_slack_;          // kernels may read these bytes from the row itself
  QuadTable column_quads_, row_quads_;

  const std::uint8_t* plane_ = nullptr;
  std::ptrdiff_t stride_ = 0;
  std::size_t next_ = 0;  // the first quad of source rows not yet in the ring

  std::size_t line_size_, block_size_, ring_size_, ring_quads_;
  std::array<AlignedVector<std::uint8_t>, 4> copies_;  // rows without slack
  AlignedVector<std::uint32_t> ring_;                  // quads of rows; quad q is at q % ring_quads_
  std::vector<const std::uint32_t*> stack_;            // the rows of the ring for one output row
  AlignedVector<std::uint8_t> mixed_;                  // a row of the result, if channels alternate
  AlignedVector<std::uint8_t> lines_;                  // rows of the result, of each channel
  AlignedVector<std::uint32_t> blocks_;                // the same as quads of columns
};

}  // namespace bcp::image
