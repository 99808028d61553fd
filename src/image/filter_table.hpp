// SPDX-License-Identifier: LGPL-2.1-or-later
// The weights of Pillow's antialiased filters along one axis.

#pragma once

#include <cstddef>
#include <vector>

#include "image/preprocessor.hpp"

namespace bcp::image {

// For each output coordinate of interest: which source samples make it, and how much each counts.
struct FilterTable {
  struct Entry {
    int first = 0;  // the first source sample, counted from `begin`
    int count = 0;  // how many samples count
  };

  std::vector<Entry> entries;
  std::vector<float> weights;  // `taps` for each entry; those past its count are 0
  int taps = 0;                // a multiple of 4
  int begin = 0, end = 0;      // the source samples any entry uses

  const float* weights_of(std::size_t entry) const { return &weights[entry * static_cast<std::size_t>(taps)]; }
};

// `outputs`: coordinates in 0 .. target - 1, rising, at least one.
FilterTable filter_table(Filter filter, int source, int target, const std::vector<int>& outputs);

}  // namespace bcp::image
