// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes rows of the resized picture into the model's tensor: crops, turns the picture upright, normalises.
//
// Thread safety: may be shared; writes only to the tensor.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "image/geometry.hpp"
#include "image/kernels.hpp"
#include "image/preprocessor.hpp"
#include "image/tone.hpp"

namespace bcp::image {

class TensorWriter {
 public:
  TensorWriter(const TensorSpec& spec, Geometry geometry, const Kernels& kernels);

  const Geometry& geometry() const { return geometry_; }
  // The columns and rows of the resized picture that any tile has, in order. Nothing else is resized.
  const std::vector<int>& columns() const { return columns_; }
  const std::vector<int>& rows() const { return rows_; }

  // Writes row rows()[row]: columns().size() bytes of red, green and blue each, `step` bytes apart.
  void write(std::size_t row, const std::array<const std::uint8_t*, 3>& line, std::size_t step, float* tensor) const;

 private:
  int size_;
  Geometry geometry_;
  const Kernels& kernels_;
  std::vector<int> columns_, rows_;
  std::array<ToneTable, 3> tones_{};                // byte to tensor
  std::array<std::optional<ToneLine>, 3> lines_{};  // the same, for the kernels
};

}  // namespace bcp::image
