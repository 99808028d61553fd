// SPDX-License-Identifier: LGPL-2.1-or-later
// The two passes of the resize, each rounding to bytes as Pillow does. Nearly all of a frame's time is spent here.

#pragma once

#include <cstddef>
#include <span>

#include "image/filter_table.hpp"
#include "image/pixel.hpp"

namespace bcp::image {

// Along a row: one output pixel for each entry of the table. `in` is the sample at table.begin, and table.taps more
// finite pixels follow the one before table.end: they are read, with weight 0.
void resample_along(const FilterTable& table, const Pixel* in, Pixel* out);

// Across rows: out[x] is the sum of weights[k] * rows[k][x]. REQUIRES: as many weights as rows, at least.
void resample_across(std::span<const Pixel* const> rows, const float* weights, std::span<Pixel> out);

}  // namespace bcp::image
