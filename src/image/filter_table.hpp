// SPDX-License-Identifier: LGPL-2.1-or-later
// The weights of Pillow's antialiased filters along one axis, as the integers Pillow uses for bytes.
//
// Sums of bytes times these weights fit into 32 bits and are exact, so every processor gives the same bytes as Pillow.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/preprocessor.hpp"

namespace bcp::image {

inline constexpr int kWeightBits = 22;  // the weights of an output sum up to about 2^22

// For each output coordinate: its source samples and their weights.
struct FilterTable {
  struct Entry {
    int first = 0;  // the first source sample, relative to `begin`
    int count = 0;  // number of samples
  };

  std::vector<Entry> entries;
  std::vector<std::int32_t> weights;  // of the first entry, then of the second, ...
  int taps = 0;                       // the largest count
  int begin = 0, end = 0;             // the range of source samples used
};

// `outputs`: coordinates in 0 .. target - 1, rising, at least one.
FilterTable filter_table(Filter filter, int source, int target, const std::vector<int>& outputs);

// The same with weights of kRoundedBits, the others 0: kernels that know this need fewer products. The weights of an
// output keep their sum. A result of 20 samples changes by less than a third of a level, and usually by a hundredth.
inline constexpr int kRoundedBits = 14;
FilterTable rounded(FilterTable table);

}  // namespace bcp::image
