// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/preprocessor.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "image/filter_table.hpp"
#include "image/geometry.hpp"
#include "image/passes.hpp"
#include "image/pixel.hpp"
#include "image/row_reader.hpp"

namespace bcp::image {
namespace {

std::string size_of(const Rect& part) {
  return std::to_string(part.width) + "x" + std::to_string(part.height);
}

bool in_range(double value, double low, double high) {
  return value >= low && value <= high;
}  // false for NaN

Status check_colors(const PictureFormat& format) {
  if (format.layout == Layout::kPacked) {
    const int step = format.pixel_step;
    if (step != 3 && step != 4)
      return invalid("pixels of " + std::to_string(step) + " bytes cannot be read: use 3 or 4 bytes a pixel");
    for (const int offset : format.rgb_offset)
      if (offset < 0 || offset >= step)
        return invalid("a colour at byte " + std::to_string(offset) + " is outside its pixel of " +
                       std::to_string(step) + " bytes: use offsets from 0 to " + std::to_string(step - 1));
  }
  if (format.layout == Layout::kYuv) {
    for (const int step : {format.luma_step, format.chroma_step})
      if (step < 1) return invalid("samples " + std::to_string(step) + " bytes apart cannot be read: use 1 or more");
    for (const int shift : {format.chroma_shift_x, format.chroma_shift_y})
      if (shift != 0 && shift != 1)
        return invalid("chroma shifted by " + std::to_string(shift) + " cannot be read: use 0 (full size) or 1 (half)");
    const auto& color = format.color;
    if (!(color.kr > 0 && color.kb > 0 && color.kr + color.kb < 1))
      return invalid("the colour matrix kr = " + std::to_string(color.kr) + ", kb = " + std::to_string(color.kb) +
                     " is none: both must be above 0 and their sum below 1");
  }
  return ok();
}

Status check_sides(const PictureFormat& format, const Rect& part) {
  if (std::min(part.width, part.height) < kMinSide)
    return invalid("a picture of " + size_of(part) + " is too small: both sides need at least " +
                   std::to_string(kMinSide) + " pixels, so scale it up first");
  if (std::max(format.width, format.height) > kMaxSide)
    return invalid("a picture of " + size_of(whole(format)) + " is too large: both sides may have at most " +
                   std::to_string(kMaxSide) + " pixels, so scale it down first");
  if (part.x < 0 || part.x > format.width - part.width || part.y < 0 || part.y > format.height - part.height)
    return invalid("the part of " + size_of(part) + " at " + std::to_string(part.x) + "," + std::to_string(part.y) +
                   " is not inside its picture of " + size_of(whole(format)) + ": clip it first");
  return ok();
}

Status check(const PictureFormat& format, const Rect& part, const TensorSpec& spec) {
  if (Status sides = check_sides(format, part); !sides) return sides;
  if (!in_range(format.pixel_aspect, 1.0 / kMaxPixelAspect, kMaxPixelAspect))
    return invalid("a pixel aspect ratio of " + std::to_string(format.pixel_aspect) + " makes no picture: use 1/" +
                   std::to_string(kMaxPixelAspect) + " to " + std::to_string(kMaxPixelAspect));
  if (const int turn = format.orientation.clockwise; turn != 0 && turn != 90 && turn != 180 && turn != 270)
    return invalid("a picture cannot be turned by " + std::to_string(turn) + " degrees: use 0, 90, 180 or 270");
  if (spec.size < 1 || spec.size > kMaxTensorSide)
    return invalid("a model input of " + std::to_string(spec.size) + "x" + std::to_string(spec.size) +
                   " cannot be made: use 1 to " + std::to_string(kMaxTensorSide) + " pixels a side");
  if (spec.resize_to != 0 && (spec.resize_to < spec.size || spec.resize_to > kMaxTensorSide))
    return invalid("pictures resized to " + std::to_string(spec.resize_to) + " pixels have no middle of " +
                   std::to_string(spec.size) + ": resize to that or more, and to " + std::to_string(kMaxTensorSide) +
                   " at most");
  for (std::size_t c = 0; c < 3; ++c)
    if (!std::isfinite(spec.mean[c]) || !std::isfinite(spec.std[c]) || !(spec.std[c] > 0))
      return invalid("the model's mean " + std::to_string(spec.mean[c]) + " and std " + std::to_string(spec.std[c]) +
                     " cannot be applied: both must be numbers and std above 0");
  return check_colors(format);
}

PictureFormat sized(PictureFormat format, const Rect& part) {
  format.width = part.width;
  format.height = part.height;
  return format;
}

// The coordinates on one axis that some window covers, rising, each once.
std::vector<int> covered(const std::vector<Window>& windows, int Window::*axis, int size) {
  std::vector<int> result;
  for (const Window& window : windows)
    for (int i = 0; i < size; ++i) result.push_back(window.*axis + i);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace

std::optional<Rect> clip_part(const PictureFormat& format, const Rect& part) {
  const auto clip = [](std::int64_t start, std::int64_t length, int side) {
    const std::int64_t first = std::clamp<std::int64_t>(start, 0, side);
    return std::pair{static_cast<int>(first),
                     static_cast<int>(std::clamp<std::int64_t>(start + length, first, side) - first)};
  };
  const auto [x, width] = clip(part.x, part.width, format.width);
  const auto [y, height] = clip(part.y, part.height, format.height);
  if (std::min(width, height) < kMinSide) return std::nullopt;
  return Rect{x, y, width, height};
}

// Source rows stream through a ring as tall as the vertical filter, so that the working set stays in the cache.
//
// Pillow resizes the upright picture along its rows first. In a picture that must be turned by a quarter those are the
// stored columns, and the order of the passes is the other way round: each one clips, so the order shows.
struct Preprocessor::Impl {
  Impl(const PictureFormat& format, const Rect& part, const TensorSpec& tensor_spec, Coverage coverage);

  void run(const Picture& picture, float* tensor);
  void load(int y);
  void finish(std::size_t row);
  void write(int y, float* tensor) const;

  Pixel* ring_row(int y) { return &ring[static_cast<std::size_t>(y % rows.taps) * ring_width]; }
  // The sample of column columns.begin in a row that starts with column `left`.
  const Pixel* begin_of(const Pixel* row) const { return row + (part.x + columns.begin - left); }

  Rect part;
  TensorSpec spec;
  const Passes& passes;
  Geometry geometry;
  bool columns_first;
  std::vector<int> xs, ys;    // the columns and rows of the resized part that some window shows
  FilterTable columns, rows;  // count the part's columns and rows; the reader counts those of the picture
  int left;                   // the first source column read: even, because chroma comes in pairs
  RowReader reader;
  std::array<float, 3> scale{}, offset{};  // byte to tensor

  std::vector<Pixel> source;        // one row at its full width, and zeros for the horizontal pass to overrun
  std::size_t ring_width;           // full width if columns come first, else that of the result
  std::vector<Pixel> ring;          // source row y is at y % rows.taps
  std::vector<const Pixel*> stack;  // the rows of the ring that make one output row
  std::vector<Pixel> line;          // one finished row
};

Preprocessor::Impl::Impl(const PictureFormat& format, const Rect& of, const TensorSpec& tensor_spec, Coverage coverage)
    : part(of),
      spec(tensor_spec),
      passes(spec.filter == Filter::kBilinear ? exact_passes() : fastest_passes()),
      geometry(plan_geometry(sized(format, part), spec, coverage)),
      columns_first(format.orientation.clockwise % 180 != 0),
      xs(covered(geometry.windows, &Window::x, spec.size)),
      ys(covered(geometry.windows, &Window::y, spec.size)),
      columns(filter_table(spec.filter, part.width, geometry.width, xs)),
      rows(filter_table(spec.filter, part.height, geometry.height, ys)),
      left((part.x + columns.begin) / 2 * 2),
      reader(format, left, part.x + columns.end) {
  for (std::size_t c = 0; c < 3; ++c) {
    scale[c] = static_cast<float>(1 / (255.0 * spec.std[c]));
    offset[c] = -spec.mean[c] / spec.std[c];
  }
  const auto full_width = static_cast<std::size_t>(part.x + columns.end - left);
  source.resize(full_width + static_cast<std::size_t>(columns.taps));
  ring_width = columns_first ? full_width : xs.size();
  ring.resize(static_cast<std::size_t>(rows.taps) * ring_width);
  stack.resize(static_cast<std::size_t>(rows.taps));
  line.resize(xs.size());
}

void Preprocessor::Impl::run(const Picture& picture, float* tensor) {
  reader.start(picture);
  int next = 0;  // the first source row not yet in the ring
  for (std::size_t i = 0; i < ys.size(); ++i) {
    const int first = rows.begin + rows.entries[i].first, end = first + rows.entries[i].count;
    for (next = std::max(next, first); next < end; ++next) load(next);
    finish(i);
    write(ys[i], tensor);
  }
}

// Row y of the part into the ring.
void Preprocessor::Impl::load(int y) {
  if (columns_first) return reader.read(part.y + y, ring_row(y));
  reader.read(part.y + y, source.data());
  passes.along(columns, begin_of(source.data()), ring_row(y));
}

// Rows of the ring into `line`.
void Preprocessor::Impl::finish(std::size_t row) {
  const FilterTable::Entry& entry = rows.entries[row];
  const std::span used(stack.data(), static_cast<std::size_t>(entry.count));
  for (int k = 0; k < entry.count; ++k) stack[static_cast<std::size_t>(k)] = ring_row(rows.begin + entry.first + k);
  if (!columns_first) return passes.across(used, rows.weights_of(row), line);
  passes.across(used, rows.weights_of(row), std::span(source.data(), ring_width));
  passes.along(columns, begin_of(source.data()), line.data());
}

// Row y of the resized picture into every tile that shows it.
void Preprocessor::Impl::write(int y, float* tensor) const {
  const std::ptrdiff_t plane = std::ptrdiff_t{spec.size} * spec.size;
  const Placement& to = geometry.placement;
  for (std::size_t t = 0; t < geometry.windows.size(); ++t) {
    const Window& window = geometry.windows[t];
    if (y < window.y || y >= window.y + spec.size) continue;
    const auto first = std::lower_bound(xs.begin(), xs.end(), window.x) - xs.begin();
    for (std::size_t c = 0; c < 3; ++c) {
      float* out = tensor + static_cast<std::ptrdiff_t>(3 * t + c) * plane + to.origin + (y - window.y) * to.step_y;
      const float* in = reinterpret_cast<const float*>(&line[static_cast<std::size_t>(first)]) + reader.lanes()[c];
      for (int i = 0; i < spec.size; ++i) out[i * to.step_x] = in[4 * i] * scale[c] + offset[c];
    }
  }
}

Preprocessor::Preprocessor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Preprocessor::Preprocessor(Preprocessor&&) noexcept = default;
Preprocessor& Preprocessor::operator=(Preprocessor&&) noexcept = default;
Preprocessor::~Preprocessor() = default;

Result<Preprocessor> Preprocessor::make(const PictureFormat& format, const TensorSpec& spec, Coverage coverage) {
  return make(format, whole(format), spec, coverage);
}

Result<Preprocessor> Preprocessor::make(const PictureFormat& format, const Rect& part, const TensorSpec& spec,
                                        Coverage coverage) try {
  if (const Status status = check(format, part, spec); !status) return status.error();
  return Preprocessor(std::make_unique<Impl>(format, part, spec, coverage));
} catch (const std::exception& e) {
  return Error{ErrorCode::kRuntime, "no memory to prepare pictures of " + size_of(part) + " (" + e.what() + ")"};
}

int Preprocessor::tiles() const {
  return static_cast<int>(impl_->geometry.windows.size());
}

std::size_t Preprocessor::tensor_size() const {
  const auto size = static_cast<std::size_t>(impl_->spec.size);
  return impl_->geometry.windows.size() * 3 * size * size;
}

void Preprocessor::run(const Picture& picture, std::span<float> tensor) {
  impl_->run(picture, tensor.data());
}

}  // namespace bcp::image
