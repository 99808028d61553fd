// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/row_reader.hpp"

#include <algorithm>
#include <cstring>

namespace bcp::image {
namespace {

// Four bytes as four lanes.
Float4 load_bytes(const std::uint8_t* bytes) {
#if defined(__SSE2__)  // GCC 12 converts one byte at a time when told __builtin_convertvector
  std::int32_t packed;
  std::memcpy(&packed, bytes, sizeof packed);
  const __m128i zero = _mm_setzero_si128();
  return _mm_cvtepi32_ps(_mm_unpacklo_epi16(_mm_unpacklo_epi8(_mm_cvtsi32_si128(packed), zero), zero));
#else
  std::uint8_t packed __attribute__((vector_size(4)));
  std::memcpy(&packed, bytes, sizeof packed);
  return __builtin_convertvector(packed, Float4);
#endif
}

Float4 pixel(double red, double green, double blue) {
  return Float4{static_cast<float>(red), static_cast<float>(green), static_cast<float>(blue), 0};
}

// Luma bytes as 0..255, before any clipping.
double luma_value(int byte, bool full_range) {
  return full_range ? byte : (byte - 16) * 255.0 / 219.0;
}

// Chroma bytes in the same units, around 0.
double chroma_value(int byte, bool full_range) {
  return full_range ? byte - 128 : (byte - 128) * 255.0 / 224.0;
}

}  // namespace

RowReader::RowReader(const PictureFormat& format, int begin, int end) : format_(format), begin_(begin), end_(end) {
  switch (format_.layout) {
    case Layout::kPacked:
      lanes_ = format_.rgb_offset;
      break;
    case Layout::kGray:
      make_gray_table();
      break;
    case Layout::kYuv: {
      make_yuv_tables();
      const int first = begin_ >> format_.chroma_shift_x, last = (end_ - 1) >> format_.chroma_shift_x;
      for (ChromaRow& row : chroma_) row.samples.resize(static_cast<std::size_t>(last - first + 3));
      break;
    }
  }
}

void RowReader::make_gray_table() {
  for (int byte = 0; byte < 256; ++byte) {
    const double value = luma_value(byte, format_.color.full_range);
    luma_[static_cast<std::size_t>(byte)].lanes = to_byte(pixel(value, value, value));
  }
}

void RowReader::make_yuv_tables() {
  const auto [kr, kb, full_range, cosited_x, cosited_y] = format_.color;
  const double kg = 1 - kr - kb;
  for (int byte = 0; byte < 256; ++byte) {
    const auto i = static_cast<std::size_t>(byte);
    const double y = luma_value(byte, full_range), c = chroma_value(byte, full_range);
    luma_[i].lanes = pixel(y + 0.5, y + 0.5, y + 0.5);  // floor_to_byte() then rounds
    blue_[i].lanes = pixel(0, -2 * kb * (1 - kb) / kg * c, 2 * (1 - kb) * c);
    red_[i].lanes = pixel(2 * (1 - kr) * c, -2 * kr * (1 - kr) / kg * c, 0);
  }
}

void RowReader::start(const Picture& picture) {
  picture_ = picture;
  for (ChromaRow& row : chroma_) row.y = -1;
}

void RowReader::read(int y, Pixel* out) {
  const std::uint8_t* row = picture_.plane[0] + y * picture_.stride[0];
  switch (format_.layout) {
    case Layout::kPacked:
      return read_packed(row, out);
    case Layout::kGray:
      for (int x = begin_; x < end_; ++x) *out++ = luma_[row[x]];
      return;
    case Layout::kYuv:
      return read_yuv(y, out);
  }
}

void RowReader::read_packed(const std::uint8_t* row, Pixel* out) const {
  const std::uint8_t* at = row + std::ptrdiff_t{begin_} * format_.pixel_step;
  const int last = end_ - begin_ - 1;
  for (int i = 0; i < last; ++i, at += format_.pixel_step) out[i].lanes = load_bytes(at);
  // Four bytes from the last pixel may be one more than the picture has.
  std::array<std::uint8_t, 4> bytes{};
  std::memcpy(bytes.data(), at, static_cast<std::size_t>(format_.pixel_step));
  out[last].lanes = load_bytes(bytes.data());
}

// Luma row y lies on a chroma row or between two of them; past the first and the last, those repeat.
RowReader::Blend RowReader::chroma_rows(int y) const {
  if (format_.chroma_shift_y == 0) return {y, y, 0};
  const int near = y / 2, last = (format_.height - 1) / 2;
  if (format_.color.cosited_y) return {near, std::min(near + y % 2, last), 0.5F};
  return {near, std::clamp(y % 2 == 0 ? near - 1 : near + 1, 0, last), 0.25F};
}

const RowReader::ChromaRow& RowReader::chroma_row(int y) {
  ChromaRow& row = chroma_[static_cast<std::size_t>(y % 2)];
  if (row.y == y) return row;
  row.y = y;
  const std::uint8_t* u = picture_.plane[1] + y * picture_.stride[1];
  const std::uint8_t* v = picture_.plane[2] + y * picture_.stride[2];
  const int first = (begin_ >> format_.chroma_shift_x) - 1, last = (format_.width - 1) >> format_.chroma_shift_x;
  const int count = static_cast<int>(row.samples.size());
  const auto sample = [&](int i) {
    const std::ptrdiff_t at = std::ptrdiff_t{std::clamp(first + i, 0, last)} * format_.chroma_step;
    return Pixel{blue_[u[at]].lanes + red_[v[at]].lanes};
  };
  for (int i = 0; i < count; ++i) row.samples[static_cast<std::size_t>(i)] = sample(i);
  return row;
}

struct RowReader::BlendedRow {
  const Pixel *near, *far;
  Float4 near_share, far_share;

  Float4 operator[](int i) const { return near[i].lanes * near_share + far[i].lanes * far_share; }
};

void RowReader::read_yuv(int y, Pixel* out) {
  const Blend rows = chroma_rows(y);
  const BlendedRow chroma{chroma_row(rows.near).samples.data(), chroma_row(rows.far).samples.data(),
                          splat(1 - rows.share), splat(rows.share)};
  const std::uint8_t* luma = picture_.plane[0] + y * picture_.stride[0] + std::ptrdiff_t{begin_} * format_.luma_step;
  if (format_.chroma_shift_x == 0) return add_full_chroma(luma, chroma, out);
  add_halved_chroma(luma, chroma, out);
}

void RowReader::add_full_chroma(const std::uint8_t* luma, const BlendedRow& chroma, Pixel* out) const {
  const int width = end_ - begin_;
  for (int x = 0; x < width; ++x, luma += format_.luma_step)
    out[x].lanes = floor_to_byte(luma_[*luma].lanes + chroma[x + 1]);
}

// Between chroma samples: an even column leans on the one before its own, an odd column on the one after.
void RowReader::add_halved_chroma(const std::uint8_t* luma, const BlendedRow& chroma, Pixel* out) const {
  const bool cosited = format_.color.cosited_x;
  const Float4 even_own = splat(cosited ? 1.0F : 0.75F), before = splat(cosited ? 0.0F : 0.25F);
  const Float4 odd_own = splat(cosited ? 0.5F : 0.75F), after = splat(cosited ? 0.5F : 0.25F);

  const std::ptrdiff_t step = format_.luma_step;
  Float4 previous = chroma[0], own = chroma[1];
  const int width = end_ - begin_;
  int x = 0;
  for (; x + 1 < width; x += 2, luma += 2 * step) {
    const Float4 next = chroma[x / 2 + 2];
    out[x].lanes = floor_to_byte(luma_[luma[0]].lanes + own * even_own + previous * before);
    out[x + 1].lanes = floor_to_byte(luma_[luma[step]].lanes + own * odd_own + next * after);
    previous = own;
    own = next;
  }
  if (x < width) out[x].lanes = floor_to_byte(luma_[luma[0]].lanes + own * even_own + previous * before);
}

}  // namespace bcp::image
