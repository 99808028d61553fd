// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/change_detector.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace bcp::image {
namespace {

// Pixels read per cell: some pixels of some lines. Small cells use more lines, so that noise averages out.
constexpr int kLines = 4;
struct Sample {
  int pixels, fewest;  // most per line; fewest per cell, if it has that many
};
constexpr Sample kDense{64, 128}, kSparse{16, 64};  // sparse: for pixels 3 bytes or more apart, which take longer

// The first pixel of share `number` of `count` equal shares; `count` gives the end.
int share(int begin, int length, int number, int count) {
  return begin + static_cast<int>(std::int64_t{length} * number / count);
}

// A constant step lets the compiler vectorise the loop.
template <int kStep>
int sum_steps(const std::uint8_t* bytes, int count, int step) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += bytes[std::ptrdiff_t{i} * (kStep == 0 ? step : kStep)];
  return sum;
}

int sum_luma(const std::uint8_t* bytes, int count, int step) {
  if (step == 1) return sum_steps<1>(bytes, count, step);
  if (step == 2) return sum_steps<2>(bytes, count, step);
  return sum_steps<0>(bytes, count, step);
}

// Weights of red, green and blue in the brightness: luma, within a few percent.
constexpr int kRed = 5, kGreen = 9, kBlue = 2, kAll = kRed + kGreen + kBlue;

int sum_packed(const std::uint8_t* bytes, int count, const PictureFormat& format) {
  const auto [red, green, blue] = format.rgb_offset;
  int reds = 0, greens = 0, blues = 0;
  for (int i = 0; i < count; ++i, bytes += format.pixel_step) {
    reds += bytes[red];
    greens += bytes[green];
    blues += bytes[blue];
  }
  return kRed * reds + kGreen * greens + kBlue * blues;
}

}  // namespace

void ChangeDetector::plan(const PictureFormat& format, const Rect& part) {
  format_ = format;
  part_ = part;
  kept_.reset();
  const int longer = std::max(part.width, part.height), cells = std::min(kCells, longer);
  const auto count = [&](int side) {
    return std::clamp(static_cast<int>(std::lround(static_cast<double>(cells) * side / longer)), 1, side);
  };
  columns_ = count(part.width);
  rows_ = count(part.height);
  step_ = format.layout == Layout::kPacked ? format.pixel_step : format.layout == Layout::kYuv ? format.luma_step : 1;
  const Sample& sample = step_ > 2 ? kSparse : kDense;
  lines_ = std::max(kLines, sample.fewest / std::min(sample.pixels, part.width / columns_));
  for (int i = 0; i < columns_; ++i) {
    const int left = share(part.x, part.width, i, columns_), end = share(part.x, part.width, i + 1, columns_);
    const int pixels = std::min(end - left, sample.pixels);
    runs_[static_cast<std::size_t>(i)] = {std::ptrdiff_t{left} * step_, std::ptrdiff_t{end - pixels} * step_, pixels};
  }
}

void ChangeDetector::fill(const Picture& picture, Cells& cells) const {
  const bool packed = format_.layout == Layout::kPacked;
  float* cell = cells.data();
  for (int i = 0; i < rows_; ++i) {
    const int top = share(part_.y, part_.height, i, rows_), height = share(part_.y, part_.height, i + 1, rows_) - top;
    const int lines = std::min(height, lines_);
    std::array<int, kCells> sums{};
    for (int line = 0; line < lines; ++line) {
      const int y = top + (2 * line + 1) * height / (2 * lines);
      const std::uint8_t* const row = picture.plane[0] + y * picture.stride[0];
      for (int j = 0; j < columns_; ++j) {
        const Run& run = runs_[static_cast<std::size_t>(j)];
        const std::uint8_t* const at = row + (line % 2 == 0 ? run.left : run.right);
        sums[static_cast<std::size_t>(j)] +=
            packed ? sum_packed(at, run.pixels, format_) : sum_luma(at, run.pixels, step_);
      }
    }
    for (int j = 0; j < columns_; ++j) {
      const auto column = static_cast<std::size_t>(j);
      const int most = (packed ? kAll : 1) * runs_[column].pixels * lines;
      *cell++ = static_cast<float>(sums[column]) / static_cast<float>(most);
    }
  }
}

std::optional<double> ChangeDetector::look(const PictureFormat& format, const Rect& part, const Picture& picture) {
  if (columns_ == 0 || format != format_ || part != part_) plan(format, part);
  last_ = kept_ ? 1 - *kept_ : 0;
  Cells& cells = cells_[last_];
  fill(picture, cells);
  if (!kept_) return std::nullopt;
  const Cells& kept = cells_[*kept_];
  float most = 0;
  const int count = columns_ * rows_;
  for (int i = 0; i < count; ++i) {
    const auto cell = static_cast<std::size_t>(i);
    most = std::max(most, std::abs(cells[cell] - kept[cell]));
  }
  return most;
}

void ChangeDetector::keep() {
  kept_ = last_;
}

}  // namespace bcp::image
