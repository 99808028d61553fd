// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/row_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace bcp::image {
namespace {

std::size_t size(int count) {
  return static_cast<std::size_t>(count);
}

// The samples first .. first + count - 1 of a row of last + 1; past its ends, the end samples repeat. Kernels read
// further than needed, so the row itself is used only if it is long enough.
const std::uint8_t* samples(const std::uint8_t* row, int step, int first, std::size_t count, int last,
                            std::uint8_t* room) {
  const auto bytes = size(step);
  if (first >= 0 && (size(first) + count) * bytes + kSlack <= size(last + 1) * bytes)
    return row + std::ptrdiff_t{first} * step;
  const int begin = std::clamp(first, 0, last), end = std::clamp(first + static_cast<int>(count), begin + 1, last + 1);
  std::uint8_t* to = room;
  for (int i = first; i < begin; ++i, to += step) std::memcpy(to, row, bytes);
  std::memcpy(to, row + std::ptrdiff_t{begin} * step, size(end - begin) * bytes);
  to += std::ptrdiff_t{end - begin} * step;
  for (int i = end; i < first + static_cast<int>(count); ++i, to += step)
    std::memcpy(to, row + std::ptrdiff_t{last} * step, bytes);
  return room;
}

// The same, for samples of one byte, `step` bytes apart.
const std::uint8_t* picked(const std::uint8_t* row, int step, int first, std::size_t count, int last,
                           std::uint8_t* room) {
  if (step == 1) return samples(row, 1, first, count, last, room);
  for (std::size_t i = 0; i < count; ++i)
    room[i] = row[std::ptrdiff_t{std::clamp(first + static_cast<int>(i), 0, last)} * step];
  return room;
}

// Into all caches: on AMD's processors, prefetching into the second only gains next to nothing.
void prefetch_bytes(const std::uint8_t* first, std::size_t count) {
  constexpr std::size_t kCacheLine = 64;
  for (std::size_t i = 0; i < count; i += kCacheLine) __builtin_prefetch(first + i);
}

}  // namespace

RowReader::RowReader(const PictureFormat& format, const Kernels& kernels) : format_(format), kernels_(kernels) {
  if (format_.layout == Layout::kGray)
    for (int byte = 0; byte < 256; ++byte) {
      const double level = format_.color.full_range ? byte : (byte - 16) * 255.0 / 219.0;
      gray_[size(byte)] = static_cast<std::uint8_t>(std::clamp(std::floor(level + 0.5), 0.0, 255.0));
    }
  if (format_.layout != Layout::kYuv) return;
  matrix_ = *yuv_matrix(format_.color);
  const auto [red, green, blue] = matrix_.bias;
  swapped_ = {matrix_.luma, matrix_.blue_u, matrix_.green_v, matrix_.green_u, matrix_.red_v, {blue, green, red}};
}

void RowReader::start(const Picture& picture) {
  picture_ = picture;
  if (format_.layout != Layout::kYuv) return;
  const auto [luma, u, v] = picture.plane;
  v_first_ = v < u;
  const std::uint8_t* const chroma = std::min(u, v);
  interleaved_ = format_.chroma_step == 2 && std::max(u, v) == chroma + 1;
  luma_first_ = luma == chroma - 1;
  pairs_ = format_.luma_step == 2 && format_.chroma_step == 4 && format_.chroma_shift_x == 1 &&
           format_.chroma_shift_y == 0 && std::max(u, v) == chroma + 2 && (luma_first_ || luma == chroma + 1);
}

void RowReader::read(int y, const Span& span, const PlanarRow& out) {
  const std::uint8_t* row = picture_.plane[0] + y * picture_.stride[0];
  switch (format_.layout) {
    case Layout::kPacked:
      return read_packed(row, span, out);
    case Layout::kGray:
      return read_gray(row, span, out);
    case Layout::kYuv:
      if (format_.chroma_shift_x == 0) return read_full(y, span, out);
      return pairs_ ? read_pairs(y, span, out) : read_halved(y, span, out);
  }
}

void RowReader::prefetch(int y, const Span& span) const {
  const auto plane = [&](std::size_t which, int row, int column, int step, std::size_t count) {
    prefetch_bytes(picture_.plane[which] + row * picture_.stride[which] + std::ptrdiff_t{column} * step,
                   count * size(step));
  };
  if (format_.layout != Layout::kYuv)
    return plane(0, y, span.x, format_.layout == Layout::kPacked ? format_.pixel_step : 1, span.count);
  plane(0, y, span.x, format_.luma_step, span.count);
  const int shift_x = format_.chroma_shift_x, shift_y = format_.chroma_shift_y;
  if (format_.luma_step != 1 || (shift_y == 1 && y % 2 == 1)) return;  // already read
  plane(1, y >> shift_y, span.x >> shift_x, format_.chroma_step, span.count >> shift_x);
  if (!interleaved_) plane(2, y >> shift_y, span.x >> shift_x, format_.chroma_step, span.count >> shift_x);
}

void RowReader::read_packed(const std::uint8_t* row, const Span& span, const PlanarRow& out) {
  const int step = format_.pixel_step;
  const std::uint8_t* pixels = samples(row, step, span.x, span.count, format_.width - 1, luma_room_.data());
  std::array<std::uint8_t*, 4> rows;
  rows.fill(spare_room_.data());
  for (std::size_t c = 0; c < 3; ++c) rows[size(format_.rgb_offset[c])] = out[c];
  (step == 3 ? kernels_.split_3 : kernels_.split_4)(pixels, span.count, rows.data());
  for (std::size_t c = 0; c < 3; ++c)  // colours may share a byte
    if (const std::uint8_t* from = rows[size(format_.rgb_offset[c])]; from != out[c])
      std::memcpy(out[c], from, span.count);
}

void RowReader::read_gray(const std::uint8_t* row, const Span& span, const PlanarRow& out) const {
  for (std::size_t i = 0; i < span.count; ++i) out[0][i] = gray_[row[size(span.x) + i]];
  std::memcpy(out[1], out[0], span.count);
  std::memcpy(out[2], out[0], span.count);
}

// Luma row y is on a chroma row or between two of them; past the first and the last, those repeat.
RowReader::Blend RowReader::chroma_rows(int y) const {
  if (format_.chroma_shift_y == 0) return {y, y, 4};
  const int near = y / 2, last = (format_.height - 1) / 2;
  if (format_.color.cosited_y) return {near, std::min(near + y % 2, last), 2};
  return {near, std::clamp(y % 2 == 0 ? near - 1 : near + 1, 0, last), 3};
}

const std::uint8_t* RowReader::luma_of(int y, const Span& span) {
  return picked(picture_.plane[0] + y * picture_.stride[0], format_.luma_step, span.x, span.count, format_.width - 1,
                luma_room_.data());
}

std::array<const std::uint8_t*, 2> RowReader::chroma_of(int y, int first, std::size_t count,
                                                        std::array<Room, 2>& rooms) {
  const std::uint8_t* u = picture_.plane[1] + y * picture_.stride[1];
  const std::uint8_t* v = picture_.plane[2] + y * picture_.stride[2];
  if (interleaved_ && format_.chroma_shift_x == 1)
    return {samples(std::min(u, v), 2, first, count, last_sample(), rooms[0].data()), nullptr};
  return {picked(u, format_.chroma_step, first, count, last_sample(), rooms[0].data()),
          picked(v, format_.chroma_step, first, count, last_sample(), rooms[1].data())};
}

// If V comes first, the kernels use it as U, and their red is blue.
void RowReader::convert_halved(const std::uint8_t* luma, const ChromaRows& chroma, std::size_t count,
                               const PlanarRow& out) const {
  const bool cosited = format_.color.cosited_x;
  if (chroma.interleaved && v_first_)
    return kernels_.halved_chroma(swapped_, luma, chroma, cosited, count, {out[2], out[1], out[0]});
  kernels_.halved_chroma(matrix_, luma, chroma, cosited, count, out);
}

void RowReader::read_halved(int y, const Span& span, const PlanarRow& out) {
  const Blend rows = chroma_rows(y);
  const int first = span.x / 2 - 1;
  const std::size_t count = (span.count + 1) / 2 + 2;
  const ChromaRows chroma{chroma_of(rows.near, first, count, near_room_), chroma_of(rows.far, first, count, far_room_),
                          interleaved_, rows.near_share};
  convert_halved(luma_of(y, span), chroma, span.count, out);
}

void RowReader::read_pairs(int y, const Span& span, const PlanarRow& out) {
  const std::uint8_t* row = std::min({picture_.plane[0], picture_.plane[1], picture_.plane[2]});
  const std::size_t count = (span.count + 1) / 2 + 2;
  const std::uint8_t* pairs =
      samples(row + y * picture_.stride[0], 4, span.x / 2 - 1, count, last_sample(), spare_room_.data());
  std::uint8_t *luma = luma_room_.data(), *chroma = near_room_[0].data();
  const std::array<std::uint8_t*, 2> rows{luma_first_ ? luma : chroma, luma_first_ ? chroma : luma};
  kernels_.split_2(pairs, 2 * count, rows.data());
  convert_halved(luma + 2, ChromaRows{{chroma}, {chroma}, true, 4}, span.count, out);
}

void RowReader::read_full(int y, const Span& span, const PlanarRow& out) {
  const Blend rows = chroma_rows(y);
  const ChromaRows chroma{chroma_of(rows.near, span.x, span.count, near_room_),
                          chroma_of(rows.far, span.x, span.count, far_room_), false, rows.near_share};
  kernels_.full_chroma(matrix_, luma_of(y, span), chroma, span.count, out);
}

}  // namespace bcp::image
