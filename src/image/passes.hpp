// SPDX-License-Identifier: LGPL-2.1-or-later
// The two passes of the resize, each rounding to bytes as Pillow does. Most of a frame's time is spent here.

#pragma once

#include <cstddef>
#include <span>

#include "image/filter_table.hpp"
#include "image/pixel.hpp"

namespace bcp::image {

struct Passes {
  // Along a row: one output pixel for each entry of the table. `in` is the sample at table.begin, and table.taps more
  // finite pixels follow the one before table.end: they are read, with weight 0.
  void (*along)(const FilterTable& table, const Pixel* in, Pixel* out);

  // Across rows: out[x] is the sum of weights[k] * rows[k][x]. REQUIRES: as many weights as rows, at least.
  void (*across)(std::span<const Pixel* const> rows, const float* weights, std::span<Pixel> out);
};

// Sums without any rounding, as Pillow's are. A bilinear filter makes many sums that are halves, which floats round to
// one side or the other. Slower than the others.
const Passes& exact_passes();

// These do the same sums in the same order: results do not depend on the machine. A bicubic filter makes few halves.
const Passes& portable_passes();
const Passes* avx2_passes();     // null where the processor has no AVX2
const Passes& fastest_passes();  // for this machine

}  // namespace bcp::image
