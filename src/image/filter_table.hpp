// SPDX-License-Identifier: LGPL-2.1-or-later
// The weights of Pillow's antialiased filters along one axis: whole numbers, as Pillow has them for bytes.
//
// Sums of bytes times these weights fit 32 bits and are exact, so every processor gives the same bytes, and Pillow too.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/preprocessor.hpp"

namespace bcp::image {

inline constexpr int kWeightBits = 22;  // the weights of an output add up to about 2^22

// For each output coordinate of interest: which source samples make it, and how much each counts.
struct FilterTable {
  struct Entry {
    int first = 0;  // the first source sample, counted from `begin`
    int count = 0;  // how many samples count
  };

  std::vector<Entry> entries;
  std::vector<std::int32_t> weights;  // those of the first entry, those of the second, ...
  int taps = 0;                       // the largest count
  int begin = 0, end = 0;             // the source samples any entry uses
};

// `outputs`: coordinates in 0 .. target - 1, rising, at least one.
FilterTable filter_table(Filter filter, int source, int target, const std::vector<int>& outputs);

}  // namespace bcp::image
