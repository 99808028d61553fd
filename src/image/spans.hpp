// SPDX-License-Identifier: LGPL-2.1-or-later
// A row of source columns in parts that the kernels take at once.

#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "image/kernels.hpp"

namespace bcp::image {

// Equal parts, so that none of them is a short one that costs as much as a long one.
class Spans {
 public:
  // For `width` columns, which the table's quads read.
  Spans(std::size_t width, const QuadTable& table);

  // Columns of a row in bytes, with room for the kernels.
  std::size_t padded() const { return (width_ + kStep - 1) / kStep * kStep; }

  // Spans begin at column 0, step(), 2 step(), ... below width().
  std::size_t width() const { return width_; }
  std::size_t step() const { return step_; }
  // Columns of the span that begins at x.
  std::size_t count(std::size_t x) const { return std::min(step_, width_ - x); }
  // Number of outputs that need only columns up to the end of that span.
  std::size_t ready(std::size_t x) const { return ready_[x / step_]; }

 private:
  static constexpr std::size_t kStep = 64;  // what the kernels round up to

  std::size_t width_, step_;
  std::vector<std::size_t> ready_;
};

inline Spans::Spans(std::size_t width, const QuadTable& table) : width_(width) {
  const std::size_t parts = (width + kMaxSpan - 1) / kMaxSpan;
  step_ = ((width + parts - 1) / parts + kStep - 1) / kStep * kStep;
  std::size_t done = 0;
  for (std::size_t x = 0; x < width; x += step_) {
    const std::size_t quads = (x + count(x) + 3) / 4;
    while (done < table.entries.size() && table.entries[done].first + table.entries[done].count <= quads) ++done;
    ready_.push_back(done);
  }
}

}  // namespace bcp::image
