// SPDX-License-Identifier: LGPL-2.1-or-later
// The passes with two pixels to a register. Chosen when the program runs, so one build serves every x86-64 machine.

#include "image/passes.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define BCP_AVX2 __attribute__((target("avx2")))  // no FMA: it would round differently from the portable passes

namespace bcp::image {
namespace {

BCP_AVX2 inline __m256 load(const Pixel* two) {
  return _mm256_loadu_ps(reinterpret_cast<const float*>(two));
}

BCP_AVX2 inline void store_bytes(__m256 v, Pixel* two) {
  v = _mm256_add_ps(v, _mm256_set1_ps(0.5F));
  v = _mm256_min_ps(_mm256_max_ps(v, _mm256_setzero_ps()), _mm256_set1_ps(255));
  _mm256_storeu_ps(reinterpret_cast<float*>(two), _mm256_cvtepi32_ps(_mm256_cvttps_epi32(v)));
}

// The first of two weights in all lanes of the first pixel, the second in all of the second.
BCP_AVX2 inline __m256 spread(const float* two) {
  const __m256i lanes = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
  return _mm256_permutevar_ps(_mm256_castpd_ps(_mm256_broadcast_sd(reinterpret_cast<const double*>(two))), lanes);
}

BCP_AVX2 void along(const FilterTable& table, const Pixel* in, Pixel* out) {
  const float* w = table.weights.data();
  for (const FilterTable::Entry& entry : table.entries) {
    const Pixel* p = in + entry.first;
    __m256 ab = _mm256_setzero_ps(), cd = ab;
    for (int k = 0; k < table.taps; k += 4) {
      ab = _mm256_add_ps(ab, _mm256_mul_ps(spread(w + k), load(p + k)));
      cd = _mm256_add_ps(cd, _mm256_mul_ps(spread(w + k + 2), load(p + k + 2)));
    }
    w += table.taps;
    const __m256 sum = _mm256_add_ps(ab, cd);
    (out++)->lanes = to_byte(_mm256_castps256_ps128(sum) + _mm256_extractf128_ps(sum, 1));
  }
}

BCP_AVX2 void across(std::span<const Pixel* const> rows, const float* weights, std::span<Pixel> out) {
  std::size_t x = 0;
  for (; x + 8 <= out.size(); x += 8) {
    __m256 a = _mm256_setzero_ps(), b = a, c = a, d = a;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const __m256 w = _mm256_broadcast_ss(weights + k);
      const Pixel* p = rows[k] + x;
      a = _mm256_add_ps(a, _mm256_mul_ps(w, load(p)));
      b = _mm256_add_ps(b, _mm256_mul_ps(w, load(p + 2)));
      c = _mm256_add_ps(c, _mm256_mul_ps(w, load(p + 4)));
      d = _mm256_add_ps(d, _mm256_mul_ps(w, load(p + 6)));
    }
    store_bytes(a, &out[x]);
    store_bytes(b, &out[x + 2]);
    store_bytes(c, &out[x + 4]);
    store_bytes(d, &out[x + 6]);
  }
  for (; x < out.size(); ++x) {
    Float4 sum{};
    for (std::size_t k = 0; k < rows.size(); ++k) sum += splat(weights[k]) * rows[k][x].lanes;
    out[x].lanes = to_byte(sum);
  }
}

}  // namespace

const Passes* avx2_passes() {
  static constexpr Passes passes{along, across};
  return __builtin_cpu_supports("avx2") != 0 ? &passes : nullptr;
}

}  // namespace bcp::image

#else

namespace bcp::image {
const Passes* avx2_passes() {
  return nullptr;
}
}  // namespace bcp::image

#endif
