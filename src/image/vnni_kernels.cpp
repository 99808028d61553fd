// SPDX-License-Identifier: LGPL-2.1-or-later
// The two passes with the dot product of AVX-512 VNNI, which multiplies four bytes by four 8-bit weights at once.

#include "image/vnni_kernels.hpp"

#include <array>

#include "image/vnni_color.hpp"
#include "image/vnni_target.hpp"

#ifdef BCP_VNNI

namespace bcp::image {
namespace {

constexpr std::size_t kLanes = 16;

// A weight is (high * 256 + middle) * 256 + low, three signed bytes. Four of each kind make a word.
constexpr std::size_t kWeightWords = 3;

void pack(const std::int32_t* weights, std::uint32_t* words) {
  for (std::size_t word = 0; word < kWeightWords; ++word) words[word] = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    std::int32_t rest = weights[k];
    for (std::size_t word = kWeightWords; word-- > 0;) {
      const auto digit = static_cast<std::int8_t>(rest & 0xFF);
      words[word] |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(digit)) << (8 * k);
      rest = (rest - digit) / 256;
    }
  }
}

// _mm512_dpbusd_epi32, without the copies of `sum` that GCC 12 makes before and after it: in a loop they take as many
// instructions as the products.
BCP_VNNI_INLINE void add_products(__m512i& sum, __m512i bytes, __m512i weights) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(bytes), "v"(weights));
}

BCP_VNNI_INLINE __m512i spread(std::uint32_t word) {
  return _mm512_set1_epi32(static_cast<int>(word));
}

struct Weights {
  __m512i high, middle, low;
};

BCP_VNNI_INLINE Weights spread(const std::uint32_t* words) {
  return {spread(words[0]), spread(words[1]), spread(words[2])};
}

// kAll: all words of a weight; else not the low one, which is 0 in rounded() weights.
template <bool kAll>
struct Sum {
  __m512i high, middle, low;

  // `bits` of the result are fractions of a level.
  BCP_VNNI_INLINE void clear(int bits = 0) {
    high = middle = _mm512_setzero_si512();
    low = _mm512_set1_epi32(1 << (kWeightBits - bits - 1));  // to round
  }

  // Adds a quad to each lane.
  BCP_VNNI_INLINE void add(const std::uint32_t* quads, const Weights& weights) {
    const __m512i bytes = _mm512_loadu_si512(quads);
    add_products(high, bytes, weights.high);
    add_products(middle, bytes, weights.middle);
    if constexpr (kAll) add_products(low, bytes, weights.low);
  }

  // Rounded, one level for each lane.
  BCP_VNNI_INLINE __m512i levels() const { return _mm512_srai_epi32(sum(), kWeightBits); }
  // Rounded and clipped. REQUIRES: clear(4).
  BCP_VNNI_INLINE __m512i sixteenths() const {
    const __m512i all = _mm512_srai_epi32(sum(), kWeightBits - 4);
    return _mm512_min_epi32(_mm512_max_epi32(all, _mm512_setzero_si512()), _mm512_set1_epi32(255 * 16));
  }

  BCP_VNNI_INLINE __m512i sum() const {
    const __m512i upper = _mm512_add_epi32(_mm512_slli_epi32(high, 8), middle);
    return _mm512_add_epi32(_mm512_slli_epi32(upper, 8), low);
  }
};

// Clipped to bytes: in each 128-bit lane four of `a`, then of `b`, `c` and `d`.
BCP_VNNI_INLINE __m512i clipped(__m512i a, __m512i b, __m512i c, __m512i d) {
  return _mm512_packus_epi16(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, d));
}

// Four quads of sixteen rows at a time. Each 128-bit lane has four rows, so no word crosses lanes.
BCP_VNNI void columns(const std::uint8_t* first_row, std::size_t apart, std::size_t quads, std::uint32_t* out,
                      std::size_t stride) {
  const auto load = [apart](const std::uint8_t* row) BCP_VNNI {
    const auto lane = [&](std::size_t group) BCP_VNNI {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + 4 * group * apart));
    };
    __m512i all = _mm512_broadcast_i32x4(lane(0));
    all = _mm512_mask_broadcast_i32x4(all, 0x00F0, lane(1));
    all = _mm512_mask_broadcast_i32x4(all, 0x0F00, lane(2));
    return _mm512_mask_broadcast_i32x4(all, 0xF000, lane(3));
  };
  for (std::size_t q = 0; q < quads; q += 4, first_row += 16, out += 4 * stride) {
    const __m512i a = load(first_row), b = load(first_row + apart);
    const __m512i c = load(first_row + 2 * apart), d = load(first_row + 3 * apart);
    const __m512i ab01 = _mm512_unpacklo_epi32(a, b), ab23 = _mm512_unpackhi_epi32(a, b);
    const __m512i cd01 = _mm512_unpacklo_epi32(c, d), cd23 = _mm512_unpackhi_epi32(c, d);
    _mm512_storeu_si512(out, _mm512_unpacklo_epi64(ab01, cd01));
    _mm512_storeu_si512(out + stride, _mm512_unpackhi_epi64(ab01, cd01));
    _mm512_storeu_si512(out + 2 * stride, _mm512_unpacklo_epi64(ab23, cd23));
    _mm512_storeu_si512(out + 3 * stride, _mm512_unpackhi_epi64(ab23, cd23));
  }
}

struct Pixel {
  __m512i red, green, blue;  // a level for each row
};

BCP_VNNI_INLINE Pixel output(const QuadTable& table, std::size_t i, const std::uint32_t* block) {
  const QuadTable::Entry& entry = table.entries[i];
  const std::uint32_t* quads = block + 3 * kLanes * entry.first;
  const std::uint32_t* words = &table.words[entry.words];
  Sum<true> red, green, blue;
  red.clear();
  green.clear();
  blue.clear();
  for (std::size_t q = 0; q < entry.count; ++q, quads += 3 * kLanes, words += kWeightWords) {
    const Weights weights = spread(words);
    red.add(quads, weights);
    green.add(quads + kLanes, weights);
    blue.add(quads + 2 * kLanes, weights);
  }
  return {red.levels(), green.levels(), blue.levels()};
}

// Stores four outputs of sixteen rows into four rows of quads.
BCP_VNNI_INLINE void store(__m512i a, __m512i b, __m512i c, __m512i d, std::uint32_t* const* out, std::size_t at) {
  const __m512i quads = clipped(a, b, c, d);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out[0] + at), _mm512_castsi512_si128(quads));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out[1] + at), _mm512_extracti32x4_epi32(quads, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out[2] + at), _mm512_extracti32x4_epi32(quads, 2));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out[3] + at), _mm512_extracti32x4_epi32(quads, 3));
}

BCP_VNNI_INLINE void store(__m512i one, std::uint32_t* const* out, std::size_t at) {
  alignas(64) std::array<std::uint32_t, kLanes> quads;
  _mm512_store_si512(quads.data(), clipped(one, one, one, one));
  for (std::size_t group = 0; group < kLanes / 4; ++group) out[group][at] = quads[4 * group];
}

BCP_VNNI void along(const QuadTable& table, std::size_t begin, std::size_t end, const std::uint32_t* block,
                    std::size_t width, std::uint32_t* const* out) {
  std::size_t i = begin;
  for (; i + 4 <= end; i += 4) {
    const Pixel a = output(table, i, block), b = output(table, i + 1, block);
    const Pixel c = output(table, i + 2, block), d = output(table, i + 3, block);
    store(a.red, b.red, c.red, d.red, out, i);
    store(a.green, b.green, c.green, d.green, out, width + i);
    store(a.blue, b.blue, c.blue, d.blue, out, 2 * width + i);
  }
  for (; i < end; ++i) {
    const Pixel pixel = output(table, i, block);
    store(pixel.red, out, i);
    store(pixel.green, out, width + i);
    store(pixel.blue, out, 2 * width + i);
  }
}

// Output `i` in sixteenths of a level.
BCP_VNNI_INLINE __m512i sixteenths(const QuadTable& table, std::size_t i, const std::uint32_t* block) {
  const QuadTable::Entry& entry = table.entries[i];
  const std::uint32_t* quads = block + kLanes * entry.first;
  const std::uint32_t* words = &table.words[entry.words];
  Sum<false> sum;
  sum.clear(4);
  for (std::size_t q = 0; q < entry.count; ++q, quads += kLanes, words += kWeightWords) sum.add(quads, spread(words));
  return sum.sixteenths();
}

struct Matrix {
  BCP_VNNI_INLINE explicit Matrix(const YuvMatrix& m)
      : luma(_mm512_set1_epi32(m.luma_sixteenth())),
        red_v(_mm512_set1_epi32(m.red_v)),
        green_u(_mm512_set1_epi32(m.green_u)),
        green_v(_mm512_set1_epi32(m.green_v)),
        blue_u(_mm512_set1_epi32(m.blue_u)),
        bias{_mm512_set1_epi32(m.bias[0]), _mm512_set1_epi32(m.bias[1]), _mm512_set1_epi32(m.bias[2])} {}

  BCP_VNNI_INLINE Pixel convert(__m512i y16, __m512i u, __m512i v) const {
    const __m512i y = _mm512_mullo_epi32(y16, luma), red = _mm512_mullo_epi32(v, red_v);
    const __m512i green = _mm512_add_epi32(_mm512_mullo_epi32(u, green_u), _mm512_mullo_epi32(v, green_v));
    const __m512i blue = _mm512_mullo_epi32(u, blue_u);
    return {level(y, red, 0), level(y, green, 1), level(y, blue, 2)};
  }

  BCP_VNNI_INLINE __m512i level(__m512i y, __m512i tint, std::size_t color) const {
    return _mm512_srai_epi32(_mm512_add_epi32(y, _mm512_add_epi32(tint, bias[color])), YuvMatrix::kShift);
  }

  __m512i luma, red_v, green_u, green_v, blue_u, bias[3];
};

BCP_VNNI void along_yuv(const YuvMatrix& yuv, const QuadTable& luma, const QuadTable& chroma,
                        const PlanarBlocks& blocks, std::size_t width, std::uint32_t* const* out) {
  const Matrix matrix(yuv);
  const auto pixel = [&](std::size_t i) BCP_VNNI {
    return matrix.convert(sixteenths(luma, i, blocks[0]), sixteenths(chroma, i, blocks[1]),
                          sixteenths(chroma, i, blocks[2]));
  };
  std::size_t i = 0;
  for (; i + 4 <= width; i += 4) {
    const Pixel a = pixel(i), b = pixel(i + 1), c = pixel(i + 2), d = pixel(i + 3);
    store(a.red, b.red, c.red, d.red, out, i);
    store(a.green, b.green, c.green, d.green, out, width + i);
    store(a.blue, b.blue, c.blue, d.blue, out, 2 * width + i);
  }
  for (; i < width; ++i) {
    const Pixel one = pixel(i);
    store(one.red, out, i);
    store(one.green, out, width + i);
    store(one.blue, out, 2 * width + i);
  }
}

template <bool kAll>
BCP_VNNI void across(const QuadTable& table, const QuadTable::Entry& entry, const std::uint32_t* const* rows,
                     std::size_t count, std::uint8_t* out) {
  const __m512i in_order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  for (std::size_t x = 0; x < count; x += 4 * kLanes) {
    const std::uint32_t* words = &table.words[entry.words];
    Sum<kAll> a, b, c, d;
    a.clear();
    b.clear();
    c.clear();
    d.clear();
    for (std::size_t q = 0; q < entry.count; ++q, words += kWeightWords) {
      const Weights weights = spread(words);
      const std::uint32_t* const quads = rows[q] + x;
      a.add(quads, weights);
      b.add(quads + kLanes, weights);
      c.add(quads + 2 * kLanes, weights);
      d.add(quads + 3 * kLanes, weights);
    }
    const __m512i bytes = clipped(a.levels(), b.levels(), c.levels(), d.levels());
    _mm512_storeu_si512(out + x, _mm512_permutexvar_epi32(in_order, bytes));
  }
}

}  // namespace

std::optional<Kernels> vnni_kernels(const Kernels& base) {
  if (base.rows != kLanes || __builtin_cpu_supports("avx512vnni") == 0) return std::nullopt;
  Kernels kernels = base;
  kernels.name = "AVX3_VNNI";
  kernels.weight_words = kWeightWords;
  kernels.pack = pack;
  kernels.halved_chroma = vnni_halved_chroma;
  kernels.columns = columns;
  kernels.along = along;
  kernels.across = across<true>;
  kernels.across_rounded = across<false>;
  kernels.along_yuv = along_yuv;
  return kernels;
}

}  // namespace bcp::image

#else

namespace bcp::image {
std::optional<Kernels> vnni_kernels(const Kernels&) {
  return std::nullopt;
}
}  // namespace bcp::image

#endif
