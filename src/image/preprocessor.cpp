// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/preprocessor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "image/filter_table.hpp"
#include "image/geometry.hpp"
#include "image/kernels.hpp"
#include "image/row_reader.hpp"
#include "image/tone.hpp"

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
      return invalid("pixels of " + std::to_string(step) + " bytes are not supported: use 3 or 4 bytes per pixel");
    for (const int offset : format.rgb_offset)
      if (offset < 0 || offset >= step)
        return invalid("a colour at byte " + std::to_string(offset) + " is outside its pixel of " +
                       std::to_string(step) + " bytes: use offsets from 0 to " + std::to_string(step - 1));
  }
  if (format.layout == Layout::kYuv) {
    for (const int step : {format.luma_step, format.chroma_step})
      if (step < 1) return invalid("samples " + std::to_string(step) + " bytes apart are invalid: use 1 or more");
    for (const int shift : {format.chroma_shift_x, format.chroma_shift_y})
      if (shift != 0 && shift != 1)
        return invalid("a chroma shift of " + std::to_string(shift) +
                       " is not supported: use 0 (full size) or 1 (half)");
    const auto& color = format.color;
    if (!(color.kr > 0 && color.kb > 0 && color.kr + color.kb < 1))
      return invalid("the colour matrix kr = " + std::to_string(color.kr) + ", kb = " + std::to_string(color.kb) +
                     " is invalid: both must be above 0 and their sum below 1");
    if (!yuv_matrix(color))
      return invalid("the colour matrix kr = " + std::to_string(color.kr) + ", kb = " + std::to_string(color.kb) +
                     " cannot be computed: their sum is too close to 1");
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
    return invalid("a pixel aspect ratio of " + std::to_string(format.pixel_aspect) + " is not supported: use 1/" +
                   std::to_string(kMaxPixelAspect) + " to " + std::to_string(kMaxPixelAspect));
  if (const int turn = format.orientation.clockwise; turn != 0 && turn != 90 && turn != 180 && turn != 270)
    return invalid("a picture cannot be turned by " + std::to_string(turn) + " degrees: use 0, 90, 180 or 270");
  if (spec.size < 1 || spec.size > kMaxTensorSide)
    return invalid("the model input " + std::to_string(spec.size) + "x" + std::to_string(spec.size) +
                   " is not supported: use 1 to " + std::to_string(kMaxTensorSide) + " pixels per side");
  if (spec.resize_to != 0 && (spec.resize_to < spec.size || spec.resize_to > kMaxTensorSide))
    return invalid("pictures resized to " + std::to_string(spec.resize_to) + " pixels cannot be cropped to " +
                   std::to_string(spec.size) + ": resize to at least that size, and at most " +
                   std::to_string(kMaxTensorSide));
  for (std::size_t c = 0; c < 3; ++c)
    if (!std::isfinite(spec.mean[c]) || !std::isfinite(spec.std[c]) || !(spec.std[c] > 0))
      return invalid("the model's mean " + std::to_string(spec.mean[c]) + " and std " + std::to_string(spec.std[c]) +
                     " are invalid: both must be finite numbers and std above 0");
  return check_colors(format);
}

PictureFormat sized(PictureFormat format, const Rect& part) {
  format.width = part.width;
  format.height = part.height;
  return format;
}

// The coordinates on one axis that any window covers, sorted, each once.
std::vector<int> covered(const std::vector<Window>& windows, int Window::*axis, int size) {
  std::vector<int> result;
  for (const Window& window : windows)
    for (int i = 0; i < size; ++i) result.push_back(window.*axis + i);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

constexpr std::size_t kLineSize = 3 * kMaxSpan + kSlack;  // a span of one row in three colours

// The columns read at once: equal parts of a row, so that none of them is a short one that costs as much as a long one.
std::size_t span_size(std::size_t width) {
  constexpr std::size_t kStep = 64;  // what the kernels round up to
  const std::size_t parts = (width + kMaxSpan - 1) / kMaxSpan;
  return ((width + parts - 1) / parts + kStep - 1) / kStep * kStep;
}

// Zeros, aligned to a cache line: the widest registers are loaded from there in one step.
template <typename T>
class Aligned {
 public:
  explicit Aligned(std::size_t count)
      : memory_(static_cast<T*>(::operator new(std::max<std::size_t>(count, 1) * sizeof(T), kAlignment))) {
    std::fill_n(memory_.get(), count, T{});
  }

  T* data() { return memory_.get(); }
  T& operator[](std::size_t i) { return memory_.get()[i]; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Delete {
    void operator()(T* memory) const { ::operator delete(memory, kAlignment); }
  };
  std::unique_ptr<T, Delete> memory_;
};

// The line, if the kernels get the table's values from it.
std::optional<ToneLine> exact_line(const Kernels& kernels, const ToneTable& table, const ToneLine& line) {
  std::array<std::uint8_t, 256> bytes;
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  ToneTable values;
  kernels.tone(line, bytes.data(), bytes.size(), values.data());
  return values == table ? std::optional(line) : std::nullopt;
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

// Source rows pass through a ring as tall as the vertical filter, so that the working data stays in the cache.
//
// Pillow resizes the upright picture along its rows first. If the picture must be turned by 90 degrees, these are the
// stored columns, so the order of the passes is swapped: each pass clips, so the order changes the result.
struct Preprocessor::Impl {
  Impl(const PictureFormat& format, const Rect& part, const TensorSpec& tensor_spec, Coverage coverage,
       const Kernels& kernels);

  void run(const Picture& picture, float* tensor);
  void load_along(std::size_t quad);
  void load_stacked(std::size_t quad);
  void read_lines(std::size_t quad, std::size_t count, std::size_t x);
  void across(std::size_t row, std::uint8_t* out);
  void finish_turned(std::size_t first_row, std::size_t count, float* tensor);
  void write(int y, const std::uint8_t* line, std::size_t step, float* tensor) const;

  std::size_t width() const { return xs.size(); }
  std::size_t span(std::size_t x) const { return std::min(full_span, full_width - x); }
  std::uint32_t* ring_row(std::size_t quad) { return &ring[quad % ring_quads * ring_width]; }
  // Four rows of one colour, `apart` bytes apart.
  static std::array<const std::uint8_t*, 4> four_rows(const std::uint8_t* first, std::size_t apart) {
    return {first, first + apart, first + 2 * apart, first + 3 * apart};
  }

  Rect part;
  TensorSpec spec;
  const Kernels& kernels;
  Geometry geometry;
  bool columns_first;
  std::vector<int> xs, ys;    // the columns and rows of the resized part in any window
  FilterTable columns, rows;  // relative to the part; the reader's coordinates are those of the picture
  int left;                   // the first source column read: even, because chroma comes in pairs
  QuadTable column_quads, row_quads;
  RowReader reader;
  std::array<ToneTable, 3> tones{};  // byte to tensor
  std::array<std::optional<ToneLine>, 3> lines_of_tone{};

  std::size_t full_width;          // the source columns read
  std::size_t full_span;           // and how many of them at once
  std::size_t plane_size;          // bytes for them in one colour, with room for the kernels
  std::vector<std::size_t> ready;  // number of outputs that need only the first span, the first two, ...
  Aligned<std::uint8_t> lines;     // a span of the rows that the kernels take at once, three colours each
  Aligned<std::uint32_t> block;    // rows as quads of columns, before the pass along them
  std::size_t ring_quads, ring_width;
  Aligned<std::uint32_t> ring;              // quads of rows, before the pass across them; quad q is at q % ring_quads
  std::vector<const std::uint32_t*> stack;  // the rows of the ring for one output row
  Aligned<std::uint8_t> finished;           // output of the pass across rows
  Aligned<std::uint32_t> turned;            // columns first: output of the pass along columns
};

Preprocessor::Impl::Impl(const PictureFormat& format, const Rect& of, const TensorSpec& tensor_spec, Coverage coverage,
                         const Kernels& with)
    : part(of),
      spec(tensor_spec),
      kernels(with),
      geometry(plan_geometry(sized(format, part), spec, coverage)),
      columns_first(format.orientation.clockwise % 180 != 0),
      xs(covered(geometry.windows, &Window::x, spec.size)),
      ys(covered(geometry.windows, &Window::y, spec.size)),
      columns(filter_table(spec.filter, part.width, geometry.width, xs)),
      rows(filter_table(spec.filter, part.height, geometry.height, ys)),
      left((part.x + columns.begin) / 2 * 2),
      column_quads(quad_table(columns, part.x + columns.begin - left, kernels)),
      row_quads(quad_table(rows, 0, kernels)),
      reader(format, kernels),
      full_width(static_cast<std::size_t>(part.x + columns.end - left)),
      full_span(span_size(full_width)),
      plane_size((full_width + 63) / 64 * 64),
      lines(kernels.rows * kLineSize),
      block(plane_size / 4 * 3 * kernels.rows),
      ring_quads(row_quads.quads + kernels.rows / 4),
      ring_width(3 * (columns_first ? plane_size : width()) + kSlack),
      ring(ring_quads * ring_width),
      stack(row_quads.quads),
      finished((columns_first ? kernels.rows * 3 * plane_size : 3 * width()) + kSlack),
      turned(columns_first ? kernels.rows / 4 * 3 * width() : 0) {
  for (std::size_t c = 0; c < 3; ++c) {
    tones[c] = tone_table(spec.mean[c], spec.std[c]);
    lines_of_tone[c] = exact_line(kernels, tones[c], tone_line(spec.mean[c], spec.std[c]));
  }
  std::size_t count = 0;
  for (std::size_t x = 0; x < full_width; x += full_span) {
    const std::size_t quads = (x + span(x) + 3) / 4;
    while (count < width() && column_quads.entries[count].first + column_quads.entries[count].count <= quads) ++count;
    ready.push_back(count);
  }
}

void Preprocessor::Impl::run(const Picture& picture, float* tensor) {
  reader.start(picture);
  std::size_t next = 0;  // the first quad of source rows not yet in the ring
  for (std::size_t i = 0; i < ys.size(); ++i) {
    const QuadTable::Entry& entry = row_quads.entries[i];
    next = std::max(next, entry.first);
    if (!columns_first) {
      for (; next < entry.first + entry.count; next += kernels.rows / 4) load_along(next);
      across(i, finished.data());
      write(ys[i], finished.data(), 1, tensor);
    } else {
      for (; next < entry.first + entry.count; ++next) load_stacked(next);
      const std::size_t waiting = i % kernels.rows;
      across(i, &finished[waiting * 3 * plane_size]);
      if (waiting + 1 == kernels.rows || i + 1 == ys.size()) finish_turned(i - waiting, waiting + 1, tensor);
    }
  }
}

// Reads a span of `count` source rows. Rows past the last needed one keep old values: their weight is 0.
//
// Each row is followed by the prefetch of the one that takes its place in the next call. All of them at once would be
// more than a processor can have under way, and it would wait.
void Preprocessor::Impl::read_lines(std::size_t quad, std::size_t count, std::size_t x) {
  const bool last_span = x + full_span >= full_width;
  const std::size_t next_x = last_span ? 0 : x + full_span;
  const int next_row = last_span ? static_cast<int>(count) : 0;
  const int first = rows.begin + 4 * static_cast<int>(quad), end = std::min(first + static_cast<int>(count), rows.end);
  std::uint8_t* line = lines.data();
  for (int y = first; y < end; ++y, line += kLineSize) {
    reader.read(part.y + y, {left + static_cast<int>(x), span(x)}, {line, line + kMaxSpan, line + 2 * kMaxSpan});
    if (y + next_row < rows.end)
      reader.prefetch(part.y + y + next_row, {left + static_cast<int>(next_x), span(next_x)});
  }
}

// Reads as many source rows as the kernels take at once, resizes them along the rows and writes them to the ring. Span
// by span, so that each stage reads from the nearest cache.
void Preprocessor::Impl::load_along(std::size_t quad) {
  std::array<std::uint32_t*, kMaxRows / 4> out{};
  for (std::size_t group = 0; group < kernels.rows / 4; ++group) out[group] = ring_row(quad + group);
  std::size_t done = 0;
  for (std::size_t x = 0; x < full_width; x += full_span) {
    read_lines(quad, kernels.rows, x);
    for (std::size_t c = 0; c < 3; ++c)
      kernels.columns(&lines[c * kMaxSpan], kLineSize, (span(x) + 3) / 4, &block[(x / 4 * 3 + c) * kernels.rows],
                      3 * kernels.rows);
    const std::size_t end = ready[x / full_span];
    kernels.along(column_quads, done, end, block.data(), width(), out.data());
    done = end;
  }
}

// Reads four source rows into the ring.
void Preprocessor::Impl::load_stacked(std::size_t quad) {
  for (std::size_t x = 0; x < full_width; x += full_span) {
    read_lines(quad, 4, x);
    for (std::size_t c = 0; c < 3; ++c)
      kernels.stack(four_rows(&lines[c * kMaxSpan], kLineSize).data(), span(x), ring_row(quad) + c * plane_size + x);
  }
}

// Combines rows of the ring into one row of bytes.
void Preprocessor::Impl::across(std::size_t row, std::uint8_t* out) {
  const QuadTable::Entry& entry = row_quads.entries[row];
  for (std::size_t q = 0; q < entry.count; ++q) stack[q] = ring_row(entry.first + q);
  kernels.across(row_quads, entry, stack.data(), 3 * (columns_first ? plane_size : width()), out);
}

// Resizes rows that have passed across along themselves, and writes them to the tensor.
void Preprocessor::Impl::finish_turned(std::size_t first_row, std::size_t count, float* tensor) {
  std::array<std::uint32_t*, kMaxRows / 4> out{};
  for (std::size_t group = 0; group < kernels.rows / 4; ++group) out[group] = &turned[group * 3 * width()];
  for (std::size_t c = 0; c < 3; ++c)
    kernels.columns(&finished[c * plane_size], 3 * plane_size, plane_size / 4, &block[c * kernels.rows],
                    3 * kernels.rows);
  kernels.along(column_quads, 0, width(), block.data(), width(), out.data());
  for (std::size_t i = 0; i < count; ++i)
    write(ys[first_row + i], reinterpret_cast<const std::uint8_t*>(out[i / 4]) + i % 4, 4, tensor);
}

// Writes row y of the resized picture to every tile that contains it. Its bytes are `step` apart.
void Preprocessor::Impl::write(int y, const std::uint8_t* line, std::size_t step, float* tensor) const {
  const std::ptrdiff_t plane = std::ptrdiff_t{spec.size} * spec.size;
  const Placement& to = geometry.placement;
  for (std::size_t t = 0; t < geometry.windows.size(); ++t) {
    const Window& window = geometry.windows[t];
    if (y < window.y || y >= window.y + spec.size) continue;
    const auto first = static_cast<std::size_t>(std::lower_bound(xs.begin(), xs.end(), window.x) - xs.begin());
    for (std::size_t c = 0; c < 3; ++c) {
      float* out = tensor + static_cast<std::ptrdiff_t>(3 * t + c) * plane + to.origin + (y - window.y) * to.step_y;
      const std::uint8_t* in = line + (c * width() + first) * step;
      if (step == 1 && to.step_x == 1 && spec.size >= static_cast<int>(kMaxRows) && lines_of_tone[c]) {
        kernels.tone(*lines_of_tone[c], in, static_cast<std::size_t>(spec.size), out);
        continue;
      }
      const ToneTable& tone = tones[c];
      for (int i = 0; i < spec.size; ++i, in += step, out += to.step_x) *out = tone[*in];
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
                                        Coverage coverage) {
  return make(format, part, spec, coverage, fastest_kernels());
}

Result<Preprocessor> Preprocessor::make(const PictureFormat& format, const Rect& part, const TensorSpec& spec,
                                        Coverage coverage, const Kernels& kernels) try {
  if (const Status status = check(format, part, spec); !status) return status.error();
  return Preprocessor(std::make_unique<Impl>(format, part, spec, coverage, kernels));
} catch (const std::exception& e) {
  return Error{ErrorCode::kRuntime,
               "not enough memory to prepare pictures of " + size_of(part) + " (" + e.what() + ")"};
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
