// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/vnni_color.hpp"

#include "image/vnni_target.hpp"

#ifdef BCP_VNNI

namespace bcp::image {
namespace {

// A block is 64 pixels of a row. Its values are in 32-bit lanes in four registers: its even and its odd pixels, each in
// two halves. A half has pixels from all 128-bit lanes: `low` those of their first eight bytes, `high` those of their
// last eight. So shuffles stay inside of these lanes, and the two halves pack into the order of the pixels.
struct Halves {
  __m512i low, high;
};

// Of the vector units of AMD's processors only some shift or shuffle. These would be the limit here, so shifts are
// multiplications, and the chroma of two rows is blended and widened by one instruction.

// A factor of YuvMatrix as two 16-bit digits, for vpdpwssd: high * 2^shift + low. The other operand of the product
// has each value twice, as (value, value << shift). So one instruction multiplies exactly and adds, in 32 bits.
BCP_VNNI_INLINE __m512i digits(std::int32_t factor, int shift) {
  const std::int32_t high = factor >> shift, low = factor - (high << shift);
  return _mm512_set1_epi32((low & 0xFFFF) | static_cast<int>(static_cast<std::uint32_t>(high) << 16));
}

constexpr int kLumaShift = 8;    // -128 << 8, from the middle level, fits in 16 bits
constexpr int kChromaShift = 4;  // so does -2048 << 4, from grey, in sixteenths

// _mm512_dpwssd_epi32, without the copies that GCC 12 makes.
BCP_VNNI_INLINE void add_products(__m512i& sum, __m512i values, __m512i factor) {
  asm("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(values), "v"(factor));
}

BCP_VNNI_INLINE Halves multiply_add(Halves sum, const Halves& values, __m512i factor) {
  add_products(sum.low, values.low, factor);
  add_products(sum.high, values.high, factor);
  return sum;
}

BCP_VNNI_INLINE Halves operator+(const Halves& a, const Halves& b) {
  return {_mm512_add_epi16(a.low, b.low), _mm512_add_epi16(a.high, b.high)};
}

// Sums of even and odd pixels to levels in order, before clipping. The upper halves have all whole levels.
BCP_VNNI_INLINE __m512i levels(__m512i even, __m512i odd) {
  const __m512i upper = _mm512_set4_epi32(0x00000F0E, 0x00000B0A, 0x00000706, 0x00000302);
  constexpr __mmask64 kLowerHalves = 0x3333333333333333;
  const __m512i both = _mm512_mask_shuffle_epi8(odd, kLowerHalves, even, upper);
  return _mm512_mulhi_epi16(both, _mm512_set1_epi16(1 << (32 - YuvMatrix::kShift)));  // >> (kShift - 16)
}

BCP_VNNI_INLINE void store(const Halves& even, const Halves& odd, std::uint8_t* out) {
  _mm512_storeu_si512(out, _mm512_packus_epi16(levels(even.low, odd.low), levels(even.high, odd.high)));
}

// (Y, Y - 128 << kLumaShift) for the pixels first, first + 2, ... of each 128-bit lane.
BCP_VNNI_INLINE __m512i luma(__m512i bytes, int first) {
  const auto both = [first](int pixel) {  // its byte in the lowest and in the highest place
    return static_cast<int>(0x00808000U | static_cast<std::uint32_t>(first + pixel) * 0x01000001U);
  };
  const __m512i spread = _mm512_shuffle_epi8(bytes, _mm512_set4_epi32(both(6), both(4), both(2), both(0)));
  return _mm512_xor_si512(spread, _mm512_set1_epi32(static_cast<int>(0x80000000)));
}

// 32 samples, U V U V ..., each less 128.
template <bool kInterleaved>
BCP_VNNI_INLINE __m512i load(const std::array<const std::uint8_t*, 2>& rows, std::size_t at) {
  const __m512i grey = _mm512_set1_epi8(-128);
  if constexpr (kInterleaved) {
    return _mm512_xor_si512(_mm512_loadu_si512(rows[0] + 2 * at), grey);
  } else {
    const __m512i u = _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[0] + at)));
    const __m512i v = _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[1] + at)));
    return _mm512_xor_si512(_mm512_or_si512(u, _mm512_slli_epi16(v, 8)), grey);
  }
}

struct Chroma {
  Halves u, v;

  BCP_VNNI_INLINE Chroma operator+(const Chroma& other) const { return {u + other.u, v + other.v}; }
};

// Samples between two rows as (value, value << kChromaShift), from sample `at` on. `shares`: of the near row and of the
// far row in either, as bytes.
template <bool kInterleaved>
BCP_VNNI_INLINE Chroma blend(const ChromaRows& chroma, std::size_t at, __m512i shares) {
  const __m512i near = load<kInterleaved>(chroma.near, at), far = load<kInterleaved>(chroma.far, at);
  const __m512i low = _mm512_unpacklo_epi8(near, far), high = _mm512_unpackhi_epi8(near, far);
  const __m512i u = _mm512_set4_epi32(0x0D0C0D0C, 0x09080908, 0x05040504, 0x01000100);
  const __m512i v = _mm512_set4_epi32(0x0F0E0F0E, 0x0B0A0B0A, 0x07060706, 0x03020302);
  const auto blended = [&](__m512i half, __m512i which)
                           BCP_VNNI { return _mm512_maddubs_epi16(shares, _mm512_shuffle_epi8(half, which)); };
  return {{blended(low, u), blended(high, u)}, {blended(low, v), blended(high, v)}};
}

template <bool kCosited, bool kInterleaved>
BCP_VNNI void halved(const YuvMatrix& matrix, const std::uint8_t* row, const ChromaRows& chroma, std::size_t count,
                     const PlanarRow& out) {
  // Two samples make a cosited pixel, four another one: in both cases sixteenths of a level.
  const int near = (kCosited ? 2 : 1) * chroma.near_share, far = (kCosited ? 2 : 1) * (4 - chroma.near_share);
  const int both = near | far << 8;
  const __m512i shares = _mm512_set1_epi32(both | both << (16 + kChromaShift));
  const __m512i luma_factor = digits(matrix.luma, kLumaShift);
  const __m512i red_v = digits(matrix.red_v, kChromaShift), blue_u = digits(matrix.blue_u, kChromaShift);
  const __m512i green_u = digits(matrix.green_u, kChromaShift), green_v = digits(matrix.green_v, kChromaShift);
  // The bias of any colour without its chroma, which is 0 for grey here, and with the 128 that luma() leaves out.
  const std::int32_t middle = (matrix.luma >> kLumaShift) * (128 << kLumaShift);
  const __m512i black = _mm512_set1_epi32(matrix.bias[0] + 128 * 16 * matrix.red_v + middle);
  for (std::size_t x = 0; x < count; x += 64) {
    const __m512i bytes = _mm512_loadu_si512(row + x);
    const Halves start{black, black};
    const Halves even = multiply_add(start, {luma(bytes, 0), luma(bytes, 8)}, luma_factor);
    const Halves odd = multiply_add(start, {luma(bytes, 1), luma(bytes, 9)}, luma_factor);
    const Chroma own = blend<kInterleaved>(chroma, x / 2 + 1, shares);
    const Chroma next = blend<kInterleaved>(chroma, x / 2 + 2, shares);
    Chroma of_even, of_odd;
    if constexpr (kCosited) {
      of_even = own + own;
      of_odd = own + next;
    } else {
      const Chroma thrice = own + own + own;
      of_even = thrice + blend<kInterleaved>(chroma, x / 2, shares);
      of_odd = thrice + next;
    }
    store(multiply_add(even, of_even.v, red_v), multiply_add(odd, of_odd.v, red_v), out[0] + x);
    store(multiply_add(multiply_add(even, of_even.u, green_u), of_even.v, green_v),
          multiply_add(multiply_add(odd, of_odd.u, green_u), of_odd.v, green_v), out[1] + x);
    store(multiply_add(even, of_even.u, blue_u), multiply_add(odd, of_odd.u, blue_u), out[2] + x);
  }
}

}  // namespace

void vnni_halved_chroma(const YuvMatrix& matrix, const std::uint8_t* luma, const ChromaRows& chroma, bool cosited,
                        std::size_t count, const PlanarRow& out) {
  if (cosited && chroma.interleaved) return halved<true, true>(matrix, luma, chroma, count, out);
  if (cosited) return halved<true, false>(matrix, luma, chroma, count, out);
  if (chroma.interleaved) return halved<false, true>(matrix, luma, chroma, count, out);
  return halved<false, false>(matrix, luma, chroma, count, out);
}

}  // namespace bcp::image

#endif
