// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/tensor_writer.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace bcp::image {
namespace {

// The coordinates on one axis that any window covers, sorted, each once.
std::vector<int> covered(const std::vector<Window>& windows, int Window::*axis, int size) {
  std::vector<int> result;
  for (const Window& window : windows)
    for (int i = 0; i < size; ++i) result.push_back(window.*axis + i);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// The line, if the kernels get the table's values from it.
std::optional<ToneLine> exact_line(const Kernels& kernels, const ToneTable& table, const ToneLine& line) {
  std::array<std::uint8_t, 256> bytes;
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  ToneTable values;
  kernels.tone(line, bytes.data(), bytes.size(), values.data());
  return values == table ? std::optional(line) : std::nullopt;
}

}  // namespace

TensorWriter::TensorWriter(const TensorSpec& spec, Geometry geometry, const Kernels& kernels)
    : size_(spec.size),
      geometry_(std::move(geometry)),
      kernels_(kernels),
      columns_(covered(geometry_.windows, &Window::x, size_)),
      rows_(covered(geometry_.windows, &Window::y, size_)) {
  for (std::size_t c = 0; c < 3; ++c) {
    tones_[c] = tone_table(spec.mean[c], spec.std[c]);
    lines_[c] = exact_line(kernels_, tones_[c], tone_line(spec.mean[c], spec.std[c]));
  }
}

void TensorWriter::write(std::size_t row, const std::array<const std::uint8_t*, 3>& line, std::size_t step,
                         float* tensor) const {
  const int y = rows_[row];
  const std::ptrdiff_t plane = std::ptrdiff_t{size_} * size_;
  const Placement& to = geometry_.placement;
  for (std::size_t t = 0; t < geometry_.windows.size(); ++t) {
    const Window& window = geometry_.windows[t];
    if (y < window.y || y >= window.y + size_) continue;
    const auto first =
        static_cast<std::size_t>(std::lower_bound(columns_.begin(), columns_.end(), window.x) - columns_.begin());
    for (std::size_t c = 0; c < 3; ++c) {
      float* out = tensor + static_cast<std::ptrdiff_t>(3 * t + c) * plane + to.origin + (y - window.y) * to.step_y;
      const std::uint8_t* in = line[c] + first * step;
      if (step == 1 && to.step_x == 1 && size_ >= static_cast<int>(kMaxRows) && lines_[c]) {
        kernels_.tone(*lines_[c], in, static_cast<std::size_t>(size_), out);
        continue;
      }
      const ToneTable& tone = tones_[c];
      for (int i = 0; i < size_; ++i, in += step, out += to.step_x) *out = tone[*in];
    }
  }
}

}  // namespace bcp::image
