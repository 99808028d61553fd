// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/passes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bcp::image {
namespace {

void along(const FilterTable& table, const Pixel* in, Pixel* out) {
  const float* w = table.weights.data();
  for (const FilterTable::Entry& entry : table.entries) {
    const Pixel* p = in + entry.first;
    Float4 a{}, b{}, c{}, d{};  // four sums, so that one addition need not wait for another
    for (int k = 0; k < table.taps; k += 4) {
      a += splat(w[k]) * p[k].lanes;
      b += splat(w[k + 1]) * p[k + 1].lanes;
      c += splat(w[k + 2]) * p[k + 2].lanes;
      d += splat(w[k + 3]) * p[k + 3].lanes;
    }
    w += table.taps;
    (out++)->lanes = to_byte((a + c) + (b + d));
  }
}

void across(std::span<const Pixel* const> rows, const float* weights, std::span<Pixel> out) {
  std::size_t x = 0;
  for (; x + 4 <= out.size(); x += 4) {  // four at a time: a weight is spread over its lanes once for all of them
    Float4 a{}, b{}, c{}, d{};
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Float4 w = splat(weights[k]);
      const Pixel* p = rows[k] + x;
      a += w * p[0].lanes;
      b += w * p[1].lanes;
      c += w * p[2].lanes;
      d += w * p[3].lanes;
    }
    out[x].lanes = to_byte(a);
    out[x + 1].lanes = to_byte(b);
    out[x + 2].lanes = to_byte(c);
    out[x + 3].lanes = to_byte(d);
  }
  for (; x < out.size(); ++x) {
    Float4 sum{};
    for (std::size_t k = 0; k < rows.size(); ++k) sum += splat(weights[k]) * rows[k][x].lanes;
    out[x].lanes = to_byte(sum);
  }
}

// The sum of weights[k] * at(k), for k below `count`, as bytes. Products of a byte and a weight of 2^-22 are exact in a
// double, and so are their sums.
template <typename At>
Float4 exact_sum(const float* weights, std::size_t count, At&& at) {
  std::array<double, 3> sum{};
  for (std::size_t k = 0; k < count; ++k) {
    const Float4 lanes = at(k);
    for (std::size_t c = 0; c < 3; ++c) sum[c] += static_cast<double>(weights[k]) * static_cast<double>(lanes[c]);
  }
  Float4 bytes{};
  for (std::size_t c = 0; c < 3; ++c) bytes[c] = static_cast<float>(std::clamp(std::floor(sum[c] + 0.5), 0.0, 255.0));
  return bytes;
}

void along_exactly(const FilterTable& table, const Pixel* in, Pixel* out) {
  for (std::size_t i = 0; i < table.entries.size(); ++i) {
    const Pixel* const first = in + table.entries[i].first;
    out[i].lanes = exact_sum(table.weights_of(i), static_cast<std::size_t>(table.entries[i].count),
                             [first](std::size_t k) { return first[k].lanes; });
  }
}

void across_exactly(std::span<const Pixel* const> rows, const float* weights, std::span<Pixel> out) {
  for (std::size_t x = 0; x < out.size(); ++x)
    out[x].lanes = exact_sum(weights, rows.size(), [&rows, x](std::size_t k) { return rows[k][x].lanes; });
}

}  // namespace

const Passes& exact_passes() {
  static constexpr Passes passes{along_exactly, across_exactly};
  return passes;
}

const Passes& portable_passes() {
  static constexpr Passes passes{along, across};
  return passes;
}

const Passes& fastest_passes() {
  const Passes* avx2 = avx2_passes();
  return avx2 != nullptr ? *avx2 : portable_passes();
}

}  // namespace bcp::image
