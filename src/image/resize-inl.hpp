// SPDX-License-Identifier: LGPL-2.1-or-later
// The two passes of the resize. Part of kernels.cpp, compiled once for each instruction set.

#if defined(BCP_IMAGE_RESIZE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef BCP_IMAGE_RESIZE_INL_HPP
#undef BCP_IMAGE_RESIZE_INL_HPP
#else
#define BCP_IMAGE_RESIZE_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "image/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace bcp::image::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

HWY_ATTR void columns(const std::uint8_t* first_row, std::size_t apart, std::size_t quads, std::uint32_t* out,
                      std::size_t stride) {
  const hn::FixedTag<std::uint8_t, 16> d8;
  const hn::FixedTag<std::uint32_t, 4> d32;
  const hn::FixedTag<std::uint64_t, 2> d64;
  const std::size_t rows = hn::Lanes(hn::ScalableTag<std::int32_t>());
  for (std::size_t row = 0; row < rows; row += 4) {
    const std::uint8_t* in = first_row + row * apart;
    std::uint32_t* to = out + row;
    for (std::size_t q = 0; q < quads; q += 4, in += 16, to += 4 * stride) {
      const auto a = hn::BitCast(d32, hn::LoadU(d8, in)), b = hn::BitCast(d32, hn::LoadU(d8, in + apart));
      const auto c = hn::BitCast(d32, hn::LoadU(d8, in + 2 * apart)),
                 d = hn::BitCast(d32, hn::LoadU(d8, in + 3 * apart));
      const auto ab01 = hn::BitCast(d64, hn::InterleaveLower(d32, a, b)),
                 ab23 = hn::BitCast(d64, hn::InterleaveUpper(d32, a, b));
      const auto cd01 = hn::BitCast(d64, hn::InterleaveLower(d32, c, d)),
                 cd23 = hn::BitCast(d64, hn::InterleaveUpper(d32, c, d));
      hn::StoreU(hn::BitCast(d32, hn::InterleaveLower(d64, ab01, cd01)), d32, to);
      hn::StoreU(hn::BitCast(d32, hn::InterleaveUpper(d64, ab01, cd01)), d32, to + stride);
      hn::StoreU(hn::BitCast(d32, hn::InterleaveLower(d64, ab23, cd23)), d32, to + 2 * stride);
      hn::StoreU(hn::BitCast(d32, hn::InterleaveUpper(d64, ab23, cd23)), d32, to + 3 * stride);
    }
  }
}

HWY_ATTR void stack(const std::uint8_t* const* rows, std::size_t count, std::uint32_t* out) {
  const hn::ScalableTag<std::uint8_t> d;
  for (std::size_t x = 0; x < count; x += hn::Lanes(d))
    hn::StoreInterleaved4(hn::LoadU(d, rows[0] + x), hn::LoadU(d, rows[1] + x), hn::LoadU(d, rows[2] + x),
                          hn::LoadU(d, rows[3] + x), d, reinterpret_cast<std::uint8_t*>(out + x));
}

// Products of 16 bits are fastest on all processors: a weight is split into high * 256 + low, which both fit, and their
// sums are combined at the end. Words: high parts of the even weights, of the odd ones; then the low parts.
constexpr std::size_t kWeightWords = 4;

void pack(const std::int32_t* weights, std::uint32_t* words) {
  const auto pair = [](std::int32_t first, std::int32_t second) {
    return static_cast<std::uint32_t>(first & 0xFFFF) | static_cast<std::uint32_t>(second) << 16;
  };
  std::array<std::int32_t, 4> low{}, high{};
  for (std::size_t k = 0; k < 4; ++k) {
    low[k] = static_cast<std::int8_t>(weights[k] & 0xFF);
    high[k] = (weights[k] - low[k]) / 256;
  }
  words[0] = pair(high[0], high[2]);
  words[1] = pair(high[1], high[3]);
  words[2] = pair(low[0], low[2]);
  words[3] = pair(low[1], low[3]);
}

// kAll: all words of a weight; else only the high parts, which are all that rounded() weights have.
template <bool kAll>
class Sum {
 public:
  HWY_INLINE HWY_ATTR Sum() : high_(hn::Zero(d32_)), high_rest_(high_), low_(high_), low_rest_(high_) {}

  // Adds a quad to each lane.
  HWY_INLINE HWY_ATTR void add(const std::uint32_t* quads, const std::uint32_t* words) {
    const auto bytes = hn::BitCast(du16_, hn::LoadU(du32_, quads));
    const auto even = hn::BitCast(d16_, hn::And(bytes, hn::Set(du16_, 0xFF)));
    const auto odd = hn::BitCast(d16_, hn::ShiftRight<8>(bytes));
    high_ = hn::ReorderWidenMulAccumulate(d32_, even, spread(words[0]), high_, high_rest_);
    high_ = hn::ReorderWidenMulAccumulate(d32_, odd, spread(words[1]), high_, high_rest_);
    if constexpr (kAll) {
      low_ = hn::ReorderWidenMulAccumulate(d32_, even, spread(words[2]), low_, low_rest_);
      low_ = hn::ReorderWidenMulAccumulate(d32_, odd, spread(words[3]), low_, low_rest_);
    }
  }

  // Rounded and clipped, in sixteenths of a level. REQUIRES: rounded() weights.
  HWY_INLINE HWY_ATTR hn::Vec<hn::ScalableTag<std::int32_t>> sixteenths() const {
    constexpr int kShift = kWeightBits - 4;
    static_assert(!kAll);
    const auto sum =
        hn::Add(hn::ShiftLeft<8>(hn::RearrangeToOddPlusEven(high_, high_rest_)), hn::Set(d32_, 1 << (kShift - 1)));
    return hn::Min(hn::Max(hn::ShiftRight<kShift>(sum), hn::Zero(d32_)), hn::Set(d32_, 255 * 16));
  }

  // Rounded and clipped, one byte for each lane.
  HWY_INLINE HWY_ATTR void store(std::uint8_t* out) const {
    const hn::Rebind<std::uint8_t, decltype(d32_)> d8;
    auto sum =
        hn::Add(hn::ShiftLeft<8>(hn::RearrangeToOddPlusEven(high_, high_rest_)), hn::Set(d32_, 1 << (kWeightBits - 1)));
    if constexpr (kAll) sum = hn::Add(sum, hn::RearrangeToOddPlusEven(low_, low_rest_));
    hn::StoreU(hn::DemoteTo(d8, hn::ShiftRight<kWeightBits>(sum)), d8, out);
  }

 private:
  static constexpr hn::ScalableTag<std::int32_t> d32_{};
  static constexpr hn::ScalableTag<std::uint32_t> du32_{};
  static constexpr hn::ScalableTag<std::int16_t> d16_{};
  static constexpr hn::ScalableTag<std::uint16_t> du16_{};

  HWY_INLINE HWY_ATTR static hn::Vec<hn::ScalableTag<std::int16_t>> spread(std::uint32_t word) {
    return hn::BitCast(d16_, hn::Set(du32_, word));
  }

  hn::Vec<hn::ScalableTag<std::int32_t>> high_, high_rest_, low_, low_rest_;
};

HWY_ATTR void along(const QuadTable& table, std::size_t begin, std::size_t end, const std::uint32_t* block,
                    std::size_t width, std::uint32_t* const* out) {
  const std::size_t rows = hn::Lanes(hn::ScalableTag<std::int32_t>());
  std::array<std::uint8_t, 3 * kMaxRows> bytes;
  for (std::size_t i = begin; i < end; ++i) {
    const QuadTable::Entry& entry = table.entries[i];
    const std::uint32_t* quads = block + 3 * rows * entry.first;
    const std::uint32_t* words = &table.words[entry.words];
    Sum<true> red, green, blue;
    for (std::size_t q = 0; q < entry.count; ++q, quads += 3 * rows, words += kWeightWords) {
      red.add(quads, words);
      green.add(quads + rows, words);
      blue.add(quads + 2 * rows, words);
    }
    red.store(bytes.data());
    green.store(bytes.data() + rows);
    blue.store(bytes.data() + 2 * rows);
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t g = 0; g < rows / 4; ++g) std::memcpy(out[g] + c * width + i, &bytes[c * rows + 4 * g], 4);
  }
}

// Output `i` in each row, in sixteenths of a level.
HWY_INLINE HWY_ATTR hn::Vec<hn::ScalableTag<std::int32_t>> sixteenths(const QuadTable& table, std::size_t i,
                                                                      const std::uint32_t* block) {
  const QuadTable::Entry& entry = table.entries[i];
  const std::size_t rows = hn::Lanes(hn::ScalableTag<std::int32_t>());
  const std::uint32_t* quads = block + rows * entry.first;
  const std::uint32_t* words = &table.words[entry.words];
  Sum<false> sum;
  for (std::size_t q = 0; q < entry.count; ++q, quads += rows, words += kWeightWords) sum.add(quads, words);
  return sum.sixteenths();
}

HWY_ATTR void along_yuv(const YuvMatrix& matrix, const QuadTable& luma, const QuadTable& chroma,
                        const PlanarBlocks& blocks, std::size_t width, std::uint32_t* const* out) {
  const hn::ScalableTag<std::int32_t> d32;
  const hn::Rebind<std::uint8_t, decltype(d32)> d8;
  const auto times = [&](std::int32_t factor, hn::Vec<decltype(d32)> v)
                         HWY_ATTR { return hn::Mul(v, hn::Set(d32, factor)); };
  std::array<std::uint8_t, 3 * kMaxRows> bytes;
  const std::size_t rows = hn::Lanes(d32);
  for (std::size_t i = 0; i < width; ++i) {
    const auto y = times(matrix.luma_sixteenth(), sixteenths(luma, i, blocks[0]));
    const auto u = sixteenths(chroma, i, blocks[1]), v = sixteenths(chroma, i, blocks[2]);
    const auto store = [&](hn::Vec<decltype(d32)> tint, std::size_t c) HWY_ATTR {
      const auto sum = hn::Add(y, hn::Add(tint, hn::Set(d32, matrix.bias[c])));
      hn::StoreU(hn::DemoteTo(d8, hn::ShiftRight<YuvMatrix::kShift>(sum)), d8, bytes.data() + c * rows);
    };
    store(times(matrix.red_v, v), 0);
    store(hn::Add(times(matrix.green_u, u), times(matrix.green_v, v)), 1);
    store(times(matrix.blue_u, u), 2);
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t g = 0; g < rows / 4; ++g) std::memcpy(out[g] + c * width + i, &bytes[c * rows + 4 * g], 4);
  }
}

template <bool kAll>
HWY_ATTR void across(const QuadTable& table, const QuadTable::Entry& entry, const std::uint32_t* const* rows,
                     std::size_t count, std::uint8_t* out) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<std::int32_t>());
  for (std::size_t x = 0; x < count; x += 2 * lanes) {
    const std::uint32_t* words = &table.words[entry.words];
    Sum<kAll> a, b;
    for (std::size_t q = 0; q < entry.count; ++q, words += kWeightWords) {
      a.add(rows[q] + x, words);
      b.add(rows[q] + x + lanes, words);
    }
    a.store(out + x);
    b.store(out + x + lanes);
  }
}

// The last vector overlaps the one before it if `count` is not a multiple of the lanes.
HWY_ATTR void tone(const ToneLine& line, const std::uint8_t* bytes, std::size_t count, float* out) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> d32;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const std::size_t at = std::min(i, count - hn::Lanes(d));
    const auto byte = hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, bytes + at)));
    const auto steps = hn::Sub(byte, hn::Set(d, line.middle));
    const auto coarse = hn::MulAdd(steps, hn::Set(d, line.factor), hn::Set(d, line.offset));
    const auto fine = hn::MulAdd(steps, hn::Set(d, line.fine_factor), hn::Set(d, line.fine_offset));
    hn::StoreU(hn::Add(coarse, fine), d, out + at);
  }
}

}  // namespace bcp::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the toggle
