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
    case Layout::kYuv420:
      make_yuv_tables();
      for (ChromaRow& row : chroma_) row.samples.resize(static_cast<std::size_t>((end_ + 1) / 2 - begin_ / 2 + 2));
      break;
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
    case Layout::kYuv420:
      return read_yuv420(y, out);
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
  const int first = begin_ / 2 - 1, last = (format_.width - 1) / 2;
  const int count = static_cast<int>(row.samples.size());
  const auto sample = [&](int i) {
    const std::ptrdiff_t at = std::ptrdiff_t{std::clamp(first + i, 0, last)} * format_.chroma_step;
    return Pixel{blue_[u[at]].lanes + red_[v[at]].lanes};
  };
  for (int i = 0; i < count; ++i) row.samples[static_cast<std::size_t>(i)] = sample(i);
  return row;
}

void RowReader::read_yuv420(int y, Pixel* out) {
  const Blend rows = chroma_rows(y);
  const Pixel* near = chroma_row(rows.near).samples.data();
  const Pixel* far = chroma_row(rows.far).samples.data();
  const Float4 near_share = splat(1 - rows.share), far_share = splat(rows.share);
  // Between chroma samples: an even column leans on the one before its own, an odd column on the one after.
  const bool cosited = format_.color.cosited_x;
  const Float4 even_own = splat(cosited ? 1.0F : 0.75F), before = splat(cosited ? 0.0F : 0.25F);
  const Float4 odd_own = splat(cosited ? 0.5F : 0.75F), after = splat(cosited ? 0.5F : 0.25F);

  const std::uint8_t* luma = picture_.plane[0] + y * picture_.stride[0] + begin_;
  const auto blend = [&](int i) { return near[i].lanes * near_share + far[i].lanes * far_share; };
  Float4 previous = blend(0), own = blend(1);
  const int width = end_ - begin_;
  int x = 0;
  for (; x + 1 < width; x += 2) {
    const Float4 next = blend(x / 2 + 2);
    out[x].lanes = floor_to_byte(luma_[luma[x]].lanes + own * even_own + previous * before);
    out[x + 1].lanes = floor_to_byte(luma_[luma[x + 1]].lanes + own * odd_own + next * after);
    previous = own;
    own = next;
  }
  if (x < width) out[x].lanes = floor_to_byte(luma_[luma[x]].lanes + own * even_own + previous * before);
}

}  // namespace bcp::image
