// SPDX-License-Identifier: LGPL-2.1-or-later
// Converts stored bytes to rows of red, green and blue. Part of kernels.cpp, compiled once for each instruction set.

#if defined(BCP_IMAGE_COLOR_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef BCP_IMAGE_COLOR_INL_HPP
#undef BCP_IMAGE_COLOR_INL_HPP
#else
#define BCP_IMAGE_COLOR_INL_HPP
#endif

#include <hwy/highway.h>

#include "image/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace bcp::image::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Int32s = hn::ScalableTag<std::int32_t>;
using Uint32s = hn::ScalableTag<std::uint32_t>;
using Int16s = hn::ScalableTag<std::int16_t>;
using Uint16s = hn::ScalableTag<std::uint16_t>;
using Bytes = hn::ScalableTag<std::uint8_t>;
using HalfUint16s = hn::Half<Uint16s>;  // as many as Int32s
using HalfBytes = hn::Half<Bytes>;      // as many as Int16s

using VecI32 = hn::Vec<Int32s>;
using VecI16 = hn::Vec<Int16s>;

HWY_ATTR void split_2(const std::uint8_t* bytes, std::size_t count, std::uint8_t* const* rows) {
  const Bytes d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Vec<Bytes> a, b;
    hn::LoadInterleaved2(d, bytes + 2 * i, a, b);
    hn::StoreU(a, d, rows[0] + i);
    hn::StoreU(b, d, rows[1] + i);
  }
}

HWY_ATTR void split_3(const std::uint8_t* pixels, std::size_t count, std::uint8_t* const* rows) {
  const Bytes d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Vec<Bytes> a, b, c;
    hn::LoadInterleaved3(d, pixels + 3 * i, a, b, c);
    hn::StoreU(a, d, rows[0] + i);
    hn::StoreU(b, d, rows[1] + i);
    hn::StoreU(c, d, rows[2] + i);
  }
}

HWY_ATTR void split_4(const std::uint8_t* pixels, std::size_t count, std::uint8_t* const* rows) {
  const Bytes d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Vec<Bytes> a, b, c, e;
    hn::LoadInterleaved4(d, pixels + 4 * i, a, b, c, e);
    hn::StoreU(a, d, rows[0] + i);
    hn::StoreU(b, d, rows[1] + i);
    hn::StoreU(c, d, rows[2] + i);
    hn::StoreU(e, d, rows[3] + i);
  }
}

// U and V of as many samples as Int16s has lanes, in quarters of a level.
struct Chroma {
  VecI16 u, v;
};

HWY_INLINE HWY_ATTR Chroma load_chroma(const std::array<const std::uint8_t*, 2>& rows, bool interleaved,
                                       std::size_t at) {
  const Int16s d16;
  if (interleaved) {
    const Uint16s du16;
    const auto pairs = hn::BitCast(du16, hn::LoadU(Bytes(), rows[0] + 2 * at));
    return {hn::BitCast(d16, hn::And(pairs, hn::Set(du16, 0xFF))), hn::BitCast(d16, hn::ShiftRight<8>(pairs))};
  }
  return {hn::PromoteTo(d16, hn::LoadU(HalfBytes(), rows[0] + at)),
          hn::PromoteTo(d16, hn::LoadU(HalfBytes(), rows[1] + at))};
}

HWY_INLINE HWY_ATTR Chroma blended_chroma(const ChromaRows& rows, bool interleaved, std::size_t at) {
  const Int16s d16;
  const auto near_share = hn::Set(d16, static_cast<std::int16_t>(rows.near_share));
  const auto far_share = hn::Set(d16, static_cast<std::int16_t>(4 - rows.near_share));
  const Chroma near = load_chroma(rows.near, interleaved, at), far = load_chroma(rows.far, interleaved, at);
  return {hn::Add(hn::Mul(near.u, near_share), hn::Mul(far.u, far_share)),
          hn::Add(hn::Mul(near.v, near_share), hn::Mul(far.v, far_share))};
}

// What chroma adds to red, green and blue.
struct Tint {
  VecI32 red, green, blue;
};

// `times`: the sums of the matrix for a quarter of a level.
struct TintMatrix {
  HWY_ATTR TintMatrix(const YuvMatrix& matrix, std::int32_t times, std::int32_t parts)
      : red_v(hn::Set(Int32s(), matrix.red_v * times)),
        green_u(hn::Set(Int32s(), matrix.green_u * times)),
        green_v(hn::Set(Int32s(), matrix.green_v * times)),
        blue_u(hn::Set(Int32s(), matrix.blue_u * times)),
        red_bias(hn::Set(Int32s(), matrix.bias[0] / parts)),
        green_bias(hn::Set(Int32s(), matrix.bias[1] / parts)),
        blue_bias(hn::Set(Int32s(), matrix.bias[2] / parts)) {}

  HWY_INLINE HWY_ATTR Tint of(VecI32 u, VecI32 v) const {
    return {hn::Add(hn::Mul(v, red_v), red_bias),
            hn::Add(hn::Add(hn::Mul(u, green_u), hn::Mul(v, green_v)), green_bias),
            hn::Add(hn::Mul(u, blue_u), blue_bias)};
  }

  VecI32 red_v, green_u, green_v, blue_u, red_bias, green_bias, blue_bias;
};

// Even and odd pixels of one colour, as sums of the matrix, to levels in order, before clipping.
HWY_INLINE HWY_ATTR VecI16 levels(VecI32 even, VecI32 odd) {
  const Int16s d16;
  // The upper halves have all integer levels and some more bits.
  const VecI16 both = hn::OddEven(hn::BitCast(d16, odd), hn::BitCast(d16, hn::ShiftRight<16>(even)));
  return hn::ShiftRight<YuvMatrix::kShift - 16>(both);
}

HWY_INLINE HWY_ATTR void store_levels(VecI16 first, VecI16 second, std::uint8_t* out) {
#if HWY_ARCH_X86 && HWY_MAX_BYTES == 64  // Highway 1.0 would pack each half separately, in twice as many steps
  const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  _mm512_storeu_si512(out, _mm512_permutexvar_epi64(order, _mm512_packus_epi16(first.raw, second.raw)));
#else
  const HalfBytes d8;
  hn::StoreU(hn::DemoteTo(d8, first), d8, out);
  hn::StoreU(hn::DemoteTo(d8, second), d8, out + hn::Lanes(d8));
#endif
}

struct LumaPair {
  VecI32 even, odd;
};

HWY_INLINE HWY_ATTR LumaPair load_luma(const std::uint8_t* luma, VecI32 factor) {
  const Int32s d32;
  const HalfUint16s du16;
  const hn::Repartition<std::uint8_t, HalfUint16s> d8;
  const VecI32 pairs = hn::PromoteTo(d32, hn::BitCast(du16, hn::LoadU(d8, luma)));
  return {hn::Mul(hn::And(pairs, hn::Set(d32, 0xFF)), factor), hn::Mul(hn::ShiftRight<8>(pairs), factor)};
}

// One colour: `tint` is at the sample of the first pair.
template <bool kCosited>
HWY_INLINE HWY_ATTR VecI16 add_halved(const LumaPair& luma, const std::int32_t* tint) {
  const Int32s d32;
  const VecI32 own = hn::LoadU(d32, tint), next = hn::LoadU(d32, tint + 1);
  if constexpr (kCosited) {
    return levels(hn::Add(luma.even, hn::Add(own, own)), hn::Add(luma.odd, hn::Add(own, next)));
  } else {
    const VecI32 before = hn::LoadU(d32, tint - 1), thrice = hn::Add(hn::Add(own, own), own);
    return levels(hn::Add(hn::Add(luma.even, before), thrice), hn::Add(hn::Add(luma.odd, next), thrice));
  }
}

template <bool kCosited>
HWY_INLINE HWY_ATTR void add_halved(const LumaPair& luma, const LumaPair& more, const std::int32_t* tint,
                                    std::uint8_t* out) {
  store_levels(add_halved<kCosited>(luma, tint), add_halved<kCosited>(more, tint + hn::Lanes(Int32s())), out);
}

// Tints of the chroma samples of a span. The tint of the first pair is aligned; the one before it is stored in front.
struct Tints {
  static constexpr std::size_t kFirst = 16;
  using Row = std::array<std::int32_t, kFirst + kMaxSpan / 2 + 48>;

  HWY_INLINE HWY_ATTR void store(const Tint& tint, std::size_t at) {
    const Int32s d;
    hn::StoreU(tint.red, d, &rows[0][at]);
    hn::StoreU(tint.green, d, &rows[1][at]);
    hn::StoreU(tint.blue, d, &rows[2][at]);
  }

  HWY_ALIGN std::array<Row, 3> rows;
};

template <bool kCosited, bool kInterleaved>
HWY_ATTR void halved(const YuvMatrix& matrix, const std::uint8_t* luma, const ChromaRows& chroma, std::size_t count,
                     const PlanarRow& out) {
  const Int32s d32;
  const Int16s d16;
  const hn::Half<Int16s> half;
  // A pixel between two samples takes halves of both if samples are cosited, else quarters.
  const TintMatrix tint(matrix, kCosited ? 2 : 1, kCosited ? 2 : 4);
  Tints tints;
  if (!kCosited) {
    const Chroma c = blended_chroma(chroma, kInterleaved, 0);
    tints.store(tint.of(hn::PromoteTo(d32, hn::LowerHalf(c.u)), hn::PromoteTo(d32, hn::LowerHalf(c.v))),
                Tints::kFirst - 1);
  }
  for (std::size_t s = 0; s < count / 2 + 2; s += hn::Lanes(d16)) {
    const Chroma c = blended_chroma(chroma, kInterleaved, s + 1);
    tints.store(tint.of(hn::PromoteTo(d32, hn::LowerHalf(c.u)), hn::PromoteTo(d32, hn::LowerHalf(c.v))),
                Tints::kFirst + s);
    tints.store(tint.of(hn::PromoteTo(d32, hn::UpperHalf(half, c.u)), hn::PromoteTo(d32, hn::UpperHalf(half, c.v))),
                Tints::kFirst + s + hn::Lanes(d32));
  }
  const VecI32 factor = hn::Set(d32, matrix.luma);
  const auto [red, green, blue] = out;
  for (std::size_t x = 0; x < count; x += 4 * hn::Lanes(d32)) {
    const LumaPair pair = load_luma(luma + x, factor), more = load_luma(luma + x + 2 * hn::Lanes(d32), factor);
    const std::size_t own = Tints::kFirst + x / 2;
    add_halved<kCosited>(pair, more, &tints.rows[0][own], red + x);
    add_halved<kCosited>(pair, more, &tints.rows[1][own], green + x);
    add_halved<kCosited>(pair, more, &tints.rows[2][own], blue + x);
  }
}

HWY_ATTR void halved_chroma(const YuvMatrix& matrix, const std::uint8_t* luma, const ChromaRows& chroma, bool cosited,
                            std::size_t count, const PlanarRow& out) {
  if (cosited && chroma.interleaved) return halved<true, true>(matrix, luma, chroma, count, out);
  if (cosited) return halved<true, false>(matrix, luma, chroma, count, out);
  if (chroma.interleaved) return halved<false, true>(matrix, luma, chroma, count, out);
  return halved<false, false>(matrix, luma, chroma, count, out);
}

HWY_ATTR void full_chroma(const YuvMatrix& matrix, const std::uint8_t* luma, const ChromaRows& chroma,
                          std::size_t count, const PlanarRow& out) {
  const Int32s d32;
  const Int16s d16;
  const HalfBytes d8;
  const TintMatrix tint(matrix, 4, 1);
  const VecI32 factor = hn::Set(d32, matrix.luma);
  for (std::size_t x = 0; x < count; x += hn::Lanes(d16)) {
    const Chroma c = blended_chroma(chroma, false, x);
    // Even and odd samples: two per lane of 32 bits, never negative.
    const auto even = [&](VecI16 v) HWY_ATTR { return hn::And(hn::BitCast(d32, v), hn::Set(d32, 0xFFFF)); };
    const auto odd = [&](VecI16 v) HWY_ATTR { return hn::ShiftRight<16>(hn::BitCast(d32, v)); };
    const Tint first = tint.of(even(c.u), even(c.v)), second = tint.of(odd(c.u), odd(c.v));
    const LumaPair pair = load_luma(luma + x, factor);
    hn::StoreU(hn::DemoteTo(d8, levels(hn::Add(pair.even, first.red), hn::Add(pair.odd, second.red))), d8, out[0] + x);
    hn::StoreU(hn::DemoteTo(d8, levels(hn::Add(pair.even, first.green), hn::Add(pair.odd, second.green))), d8,
               out[1] + x);
    hn::StoreU(hn::DemoteTo(d8, levels(hn::Add(pair.even, first.blue), hn::Add(pair.odd, second.blue))), d8,
               out[2] + x);
  }
}

}  // namespace bcp::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the toggle
