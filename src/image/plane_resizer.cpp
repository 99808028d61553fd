// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/plane_resizer.hpp"

#include <algorithm>
#include <cstring>

namespace bcp::image {
namespace {

std::size_t size(int count) {
  return static_cast<std::size_t>(count);
}

std::size_t padded(std::size_t count) {
  constexpr std::size_t kStep = 64;  // what the kernels round up to
  return (count + kStep - 1) / kStep * kStep;
}

}  // namespace

PlaneResizer::PlaneResizer(int samples, std::size_t channels, const FilterTable& columns, const FilterTable& rows,
                           const Kernels& kernels)
    : channels_(channels),
      kernels_(kernels),
      top_(rows.begin),
      bottom_(rows.end),
      left_(size(columns.begin) * channels),
      used_(size(columns.end - columns.begin) * channels),
      have_slack_(left_ + used_ + kSlack <= size(samples) * channels),
      column_quads_(quad_table(rounded(columns), 0, kernels)),
      row_quads_(quad_table(rounded(rows), 0, kernels)),
      line_size_(padded(size(columns.end - columns.begin))),
      block_size_(line_size_ / 4 * kernels.rows),
      ring_size_(channels * line_size_ + kSlack),
      ring_quads_(row_quads_.quads),
      ring_(ring_quads_ * ring_size_),
      stack_(row_quads_.quads),
      mixed_(channels == 2 ? 2 * line_size_ + kSlack : 0),
      lines_(channels * kernels.rows * line_size_ + kSlack),
      blocks_(channels * block_size_) {
  if (!have_slack_)
    for (auto& copy : copies_) copy.resize(used_ + kSlack);
}

void PlaneResizer::start(const std::uint8_t* plane, std::ptrdiff_t stride) {
  plane_ = plane;
  stride_ = stride;
  next_ = 0;
}

void PlaneResizer::resize(std::size_t first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) resize_row(first + i, i);
  for (std::size_t channel = 0; channel < channels_; ++channel)
    kernels_.columns(line(channel, 0), line_size_, line_size_ / 4, &blocks_[channel * block_size_], kernels_.rows);
}

// Four source rows to the ring. The last ones may be below those needed: the last needed row takes their place, and its
// weight there is 0.
void PlaneResizer::load(std::size_t quad) {
  constexpr std::size_t kCacheLine = 64;
  std::array<const std::uint8_t*, 4> rows, later;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto row = [&](std::size_t of) {
      const int y = std::min(top_ + static_cast<int>(4 * of + i), bottom_ - 1);
      return plane_ + y * stride_ + left_;
    };
    rows[i] = row(quad);
    later[i] = row(quad + 1);
    if (have_slack_) continue;
    std::memcpy(copies_[i].data(), rows[i], used_);
    rows[i] = copies_[i].data();
  }
  // The processor cannot predict the jumps between rows. All prefetches at once would be more than it can have under
  // way.
  for (std::size_t x = 0; x < used_; x += kMaxSpan) {
    const std::size_t count = std::min(kMaxSpan, used_ - x);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t at = x; at < x + count; at += kCacheLine) __builtin_prefetch(later[i] + at);
    const std::array<const std::uint8_t*, 4> from{rows[0] + x, rows[1] + x, rows[2] + x, rows[3] + x};
    kernels_.stack(from.data(), count, ring_row(quad) + x);
  }
}

// Makes a row of the result, as line `number` of each channel.
void PlaneResizer::resize_row(std::size_t row, std::size_t number) {
  const QuadTable::Entry& entry = row_quads_.entries[row];
  next_ = std::max(next_, entry.first);
  for (; next_ < entry.first + entry.count; ++next_) load(next_);
  for (std::size_t q = 0; q < entry.count; ++q) stack_[q] = ring_row(entry.first + q);
  std::uint8_t* const out = channels_ == 1 ? line(0, number) : mixed_.data();
  kernels_.across_rounded(row_quads_, entry, stack_.data(), used_, out);
  if (channels_ == 1) return;
  const std::array<std::uint8_t*, 2> lines{line(0, number), line(1, number)};
  kernels_.split_2(out, used_ / 2, lines.data());
}

}  // namespace bcp::image
