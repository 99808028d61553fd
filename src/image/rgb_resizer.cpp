// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/rgb_resizer.hpp"

#include <algorithm>

namespace bcp::image {
namespace {

constexpr std::size_t kLineSize = 3 * kMaxSpan + kSlack;  // a span of one row in three colours

// Four rows of one colour, `apart` bytes apart.
std::array<const std::uint8_t*, 4> four_rows(const std::uint8_t* first, std::size_t apart) {
  return {first, first + apart, first + 2 * apart, first + 3 * apart};
}

}  // namespace

RgbResizer::RgbResizer(const PictureFormat& format, const Rect& part, Filter filter, const TensorWriter& writer,
                       const Kernels& kernels)
    : part_(part),
      kernels_(kernels),
      columns_first_(format.orientation.clockwise % 180 != 0),
      columns_(filter_table(filter, part.width, writer.geometry().width, writer.columns())),
      rows_(filter_table(filter, part.height, writer.geometry().height, writer.rows())),
      left_((part.x + columns_.begin) / 2 * 2),
      column_quads_(quad_table(columns_, part.x + columns_.begin - left_, kernels)),
      row_quads_(quad_table(rows_, 0, kernels)),
      reader_(format, kernels),
      spans_(static_cast<std::size_t>(part.x + columns_.end - left_), column_quads_),
      lines_(kernels.rows * kLineSize),
      block_(spans_.padded() / 4 * 3 * kernels.rows),
      ring_quads_(row_quads_.quads + kernels.rows / 4),
      ring_width_(3 * (columns_first_ ? spans_.padded() : width()) + kSlack),
      ring_(ring_quads_ * ring_width_),
      stack_(row_quads_.quads),
      finished_((columns_first_ ? kernels.rows * 3 * spans_.padded() : 3 * width()) + kSlack),
      turned_(columns_first_ ? kernels.rows / 4 * 3 * width() : 0) {}

void RgbResizer::run(const Picture& picture, const TensorWriter& writer, float* tensor) {
  reader_.start(picture);
  std::size_t next = 0;  // the first quad of source rows not yet in the ring
  const std::size_t height = row_quads_.entries.size();
  for (std::size_t i = 0; i < height; ++i) {
    const QuadTable::Entry& entry = row_quads_.entries[i];
    next = std::max(next, entry.first);
    if (!columns_first_) {
      for (; next < entry.first + entry.count; next += kernels_.rows / 4) load_along(next);
      across(i, finished_.data());
      writer.write(i, colors(finished_.data(), 1), 1, tensor);
    } else {
      for (; next < entry.first + entry.count; ++next) load_stacked(next);
      const std::size_t waiting = i % kernels_.rows;
      across(i, &finished_[waiting * 3 * spans_.padded()]);
      if (waiting + 1 == kernels_.rows || i + 1 == height) finish_turned(i - waiting, waiting + 1, writer, tensor);
    }
  }
}

// Reads a span of `count` source rows. Rows past the last needed one keep old values: their weight is 0.
//
// Each row is followed by the prefetch of the one that takes its place in the next call. All of them at once would be
// more than a processor can have under way, and it would wait.
void RgbResizer::read_lines(std::size_t quad, std::size_t count, std::size_t x) {
  const bool last_span = x + spans_.step() >= spans_.width();
  const std::size_t next_x = last_span ? 0 : x + spans_.step();
  const int next_row = last_span ? static_cast<int>(count) : 0;
  const int first = rows_.begin + 4 * static_cast<int>(quad),
            end = std::min(first + static_cast<int>(count), rows_.end);
  std::uint8_t* line = lines_.data();
  for (int y = first; y < end; ++y, line += kLineSize) {
    reader_.read(part_.y + y, {left_ + static_cast<int>(x), spans_.count(x)},
                 {line, line + kMaxSpan, line + 2 * kMaxSpan});
    if (y + next_row < rows_.end)
      reader_.prefetch(part_.y + y + next_row, {left_ + static_cast<int>(next_x), spans_.count(next_x)});
  }
}

// Reads as many source rows as the kernels take at once, resizes them along the rows and writes them to the ring. Span
// by span, so that each stage reads from the nearest cache.
void RgbResizer::load_along(std::size_t quad) {
  std::array<std::uint32_t*, kMaxRows / 4> out{};
  for (std::size_t group = 0; group < kernels_.rows / 4; ++group) out[group] = ring_row(quad + group);
  std::size_t done = 0;
  for (std::size_t x = 0; x < spans_.width(); x += spans_.step()) {
    read_lines(quad, kernels_.rows, x);
    for (std::size_t c = 0; c < 3; ++c)
      kernels_.columns(&lines_[c * kMaxSpan], kLineSize, (spans_.count(x) + 3) / 4,
                       &block_[(x / 4 * 3 + c) * kernels_.rows], 3 * kernels_.rows);
    kernels_.along(column_quads_, done, spans_.ready(x), block_.data(), width(), out.data());
    done = spans_.ready(x);
  }
}

// Reads four source rows into the ring.
void RgbResizer::load_stacked(std::size_t quad) {
  for (std::size_t x = 0; x < spans_.width(); x += spans_.step()) {
    read_lines(quad, 4, x);
    for (std::size_t c = 0; c < 3; ++c)
      kernels_.stack(four_rows(&lines_[c * kMaxSpan], kLineSize).data(), spans_.count(x),
                     ring_row(quad) + c * spans_.padded() + x);
  }
}

// Combines rows of the ring into one row of bytes.
void RgbResizer::across(std::size_t row, std::uint8_t* out) {
  const QuadTable::Entry& entry = row_quads_.entries[row];
  for (std::size_t q = 0; q < entry.count; ++q) stack_[q] = ring_row(entry.first + q);
  kernels_.across(row_quads_, entry, stack_.data(), 3 * (columns_first_ ? spans_.padded() : width()), out);
}

// Resizes rows that have passed across along themselves, and writes them to the tensor.
void RgbResizer::finish_turned(std::size_t first_row, std::size_t count, const TensorWriter& writer, float* tensor) {
  std::array<std::uint32_t*, kMaxRows / 4> out{};
  for (std::size_t group = 0; group < kernels_.rows / 4; ++group) out[group] = &turned_[group * 3 * width()];
  for (std::size_t c = 0; c < 3; ++c)
    kernels_.columns(&finished_[c * spans_.padded()], 3 * spans_.padded(), spans_.padded() / 4,
                     &block_[c * kernels_.rows], 3 * kernels_.rows);
  kernels_.along(column_quads_, 0, width(), block_.data(), width(), out.data());
  for (std::size_t i = 0; i < count; ++i)
    writer.write(first_row + i, colors(reinterpret_cast<const std::uint8_t*>(out[i / 4]) + i % 4, 4), 4, tensor);
}

}  // namespace bcp::image
