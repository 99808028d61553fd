// SPDX-License-Identifier: LGPL-2.1-or-later
// The two passes with the dot product of AVX-512 VNNI, which multiplies four bytes by four 8-bit weights at once.

#include "image/vnni_kernels.hpp"

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

struct Sum {
  __m512i high, middle, low;

  BCP_VNNI_INLINE void clear() { high = middle = low = _mm512_setzero_si512(); }

  // Adds a quad to each lane.
  BCP_VNNI_INLINE void add(const std::uint32_t* quads, __m512i high_weights, __m512i middle_weights,
                           __m512i low_weights) {
    const __m512i bytes = _mm512_loadu_si512(quads);
    add_products(high, bytes, high_weights);
    add_products(middle, bytes, middle_weights);
    add_products(low, bytes, low_weights);
  }

  // Rounded and clipped, one byte for each lane.
  BCP_VNNI_INLINE __m128i bytes() const {
    const __m512i upper = _mm512_add_epi32(_mm512_slli_epi32(high, 8), middle);
    const __m512i sum = _mm512_add_epi32(_mm512_slli_epi32(upper, 8), low);
    const __m512i level =
        _mm512_srai_epi32(_mm512_add_epi32(sum, _mm512_set1_epi32(1 << (kWeightBits - 1))), kWeightBits);
    return _mm512_cvtusepi32_epi8(_mm512_max_epi32(level, _mm512_setzero_si512()));
  }
};

BCP_VNNI_INLINE __m512i spread(std::uint32_t word) {
  return _mm512_set1_epi32(static_cast<int>(word));
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
  __m128i red, green, blue;  // one byte per row
};

BCP_VNNI_INLINE Pixel output(const QuadTable& table, std::size_t i, const std::uint32_t* block) {
  const QuadTable::Entry& entry = table.entries[i];
  const std::uint32_t* quads = block + 3 * kLanes * entry.first;
  const std::uint32_t* words = &table.words[entry.words];
  Sum red, green, blue;
  red.clear();
  green.clear();
  blue.clear();
  for (std::size_t q = 0; q < entry.count; ++q, quads += 3 * kLanes, words += kWeightWords) {
    const __m512i high = spread(words[0]), middle = spread(words[1]), low = spread(words[2]);
    red.add(quads, high, middle, low);
    green.add(quads + kLanes, high, middle, low);
    blue.add(quads + 2 * kLanes, high, middle, low);
  }
  return {red.bytes(), green.bytes(), blue.bytes()};
}

// Stores four outputs of sixteen rows into four rows of quads.
BCP_VNNI_INLINE void store(__m128i a, __m128i b, __m128i c, __m128i d, std::uint32_t* const* out, std::size_t at) {
  const __m128i ab_low = _mm_unpacklo_epi32(a, b), ab_high = _mm_unpackhi_epi32(a, b);
  const __m128i cd_low = _mm_unpacklo_epi32(c, d), cd_high = _mm_unpackhi_epi32(c, d);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out[0] + at), _mm_unpacklo_epi64(ab_low, cd_low));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out[1] + at), _mm_unpackhi_epi64(ab_low, cd_low));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out[2] + at), _mm_unpacklo_epi64(ab_high, cd_high));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out[3] + at), _mm_unpackhi_epi64(ab_high, cd_high));
}

BCP_VNNI_INLINE void store(__m128i one, std::uint32_t* const* out, std::size_t at) {
  out[0][at] = static_cast<std::uint32_t>(_mm_extract_epi32(one, 0));
  out[1][at] = static_cast<std::uint32_t>(_mm_extract_epi32(one, 1));
  out[2][at] = static_cast<std::uint32_t>(_mm_extract_epi32(one, 2));
  out[3][at] = static_cast<std::uint32_t>(_mm_extract_epi32(one, 3));
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

BCP_VNNI void across(const QuadTable& table, const QuadTable::Entry& entry, const std::uint32_t* const* rows,
                     std::size_t count, std::uint8_t* out) {
  for (std::size_t x = 0; x < count; x += 2 * kLanes) {
    const std::uint32_t* words = &table.words[entry.words];
    Sum a, b;
    a.clear();
    b.clear();
    for (std::size_t q = 0; q < entry.count; ++q, words += kWeightWords) {
      const __m512i high = spread(words[0]), middle = spread(words[1]), low = spread(words[2]);
      a.add(rows[q] + x, high, middle, low);
      b.add(rows[q] + x + kLanes, high, middle, low);
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + x), a.bytes());
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + x + kLanes), b.bytes());
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
  kernels.across = across;
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
