// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/yuv_resizer.hpp"

#include <algorithm>

namespace bcp::image {
namespace {

// The table for one axis of the part that begins at `origin`, for samples of the whole picture.
FilterTable placed(FilterTable table, int origin) {
  table.begin += origin;
  table.end += origin;
  return table;
}

// The table for one axis of chroma. `full`: weights of samples of luma; chroma is interpolated between two of its
// samples, halved chroma at the positions described in YuvColor. Samples past `last` are those at `last`.
FilterTable chroma_table(const FilterTable& full, int shift, bool cosited, int last) {
  if (shift == 0) return full;
  FilterTable halved;
  halved.begin = last;
  const std::int32_t* weights = full.weights.data();
  std::vector<std::int32_t> quarters;
  for (const FilterTable::Entry& entry : full.entries) {
    const int start = full.begin + entry.first;
    const int first = std::max(start / 2 - 1, 0);
    quarters.assign(static_cast<std::size_t>(entry.count) / 2 + 3, 0);
    const auto add = [&](int sample, std::int32_t weight) {
      quarters[static_cast<std::size_t>(std::clamp(sample, 0, last) - first)] += weight;
    };
    for (int i = start; i < start + entry.count; ++i, ++weights) {
      const bool odd = i % 2 == 1;
      const int own = i / 2, other = odd ? own + 1 : own - 1;
      const int share = !cosited ? 3 : odd ? 2 : 4;
      add(own, share * *weights);
      add(other, (4 - share) * *weights);
    }
    const int count = std::min(static_cast<int>(quarters.size()), last + 1 - first);
    halved.entries.push_back({first, count});
    for (int i = 0; i < count; ++i) halved.weights.push_back((quarters[static_cast<std::size_t>(i)] + 2) >> 2);
    halved.begin = std::min(halved.begin, first);
    halved.end = std::max(halved.end, first + count);
    halved.taps = std::max(halved.taps, count);
  }
  for (FilterTable::Entry& entry : halved.entries) entry.first -= halved.begin;
  return halved;
}

}  // namespace

bool YuvResizer::takes(const PictureFormat& format) {
  return format.layout == Layout::kYuv && format.luma_step == 1 && format.chroma_step <= 2;
}

YuvResizer::YuvResizer(const PictureFormat& format, const Rect& part, Filter filter, const TensorWriter& writer,
                       const Kernels& kernels)
    : YuvResizer(format, placed(filter_table(filter, part.width, writer.geometry().width, writer.columns()), part.x),
                 placed(filter_table(filter, part.height, writer.geometry().height, writer.rows()), part.y), kernels) {}

YuvResizer::YuvResizer(const PictureFormat& format, const FilterTable& columns, const FilterTable& rows,
                       const Kernels& kernels)
    : kernels_(kernels),
      matrix_(*yuv_matrix(format.color)),
      width_(columns.entries.size()),
      height_(rows.entries.size()),
      luma_(format.width, 1, columns, rows, kernels),
      turned_(kernels.rows / 4 * 3 * width_ + kSlack),
      rows_(12 * (width_ + kSlack)) {
  const auto [kr, kb, full_range, cosited_x, cosited_y] = format.color;
  const int last_x = (format.width - 1) >> format.chroma_shift_x, last_y = (format.height - 1) >> format.chroma_shift_y;
  const FilterTable across = chroma_table(columns, format.chroma_shift_x, cosited_x, last_x);
  const FilterTable down = chroma_table(rows, format.chroma_shift_y, cosited_y, last_y);
  const auto channels = static_cast<std::size_t>(format.chroma_step);
  for (std::size_t plane = 0; plane < 2; plane += channels)
    chroma_.emplace_back(last_x + 1, channels, across, down, kernels);
}

void YuvResizer::run(const Picture& picture, const TensorWriter& writer, float* tensor) {
  const auto [y, u, v] = picture.plane;
  const bool alternate = chroma_.size() == 1;
  luma_.start(y, picture.stride[0]);
  chroma_.front().start(alternate ? std::min(u, v) : u, picture.stride[1]);
  if (!alternate) chroma_.back().start(v, picture.stride[2]);
  const std::size_t v_channel = alternate && u < v ? 1 : 0, u_channel = alternate && v < u ? 1 : 0;

  for (std::size_t first = 0; first < height_; first += kernels_.rows) {
    const std::size_t count = std::min(kernels_.rows, height_ - first);
    luma_.resize(first, count);
    for (PlaneResizer& each : chroma_) each.resize(first, count);
    std::array<std::uint32_t*, kMaxRows / 4> quads{};
    for (std::size_t group = 0; group < kernels_.rows / 4; ++group) quads[group] = &turned_[group * 3 * width_];
    kernels_.along_yuv(matrix_, luma_.columns(), chroma_.front().columns(),
                       {luma_.block(0), chroma_.front().block(u_channel), chroma_.back().block(v_channel)}, width_,
                       quads.data());
    for (std::size_t row = 0; row < count; row += 4)
      write(first + row, std::min<std::size_t>(count - row, 4), quads[row / 4], writer, tensor);
  }
}

// Writes `count` rows of quads of rows.
void YuvResizer::write(std::size_t first, std::size_t count, const std::uint32_t* quads, const TensorWriter& writer,
                       float* tensor) {
  const auto row = [this](std::size_t color, std::size_t number) {
    return &rows_[(4 * color + number) * (width_ + kSlack)];
  };
  for (std::size_t c = 0; c < 3; ++c) {
    const std::array<std::uint8_t*, 4> rows{row(c, 0), row(c, 1), row(c, 2), row(c, 3)};
    kernels_.split_4(reinterpret_cast<const std::uint8_t*>(quads + c * width_), width_, rows.data());
  }
  for (std::size_t i = 0; i < count; ++i) writer.write(first + i, {row(0, i), row(1, i), row(2, i)}, 1, tensor);
}

}  // namespace bcp::image
