// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/preprocessor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "image/filter_table.hpp"
#include "image/geometry.hpp"
#include "image/kernels.hpp"
#include "image/row_reader.hpp"

namespace bcp::image {
namespace {

std::string size_of(const Rect& part) {
  return std::to_string(part.width) + "x" + std::to_string(part.height);
}

Error invalid(std::string message) {
  return {ErrorCode::kInvalid, std::move(message)};
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

// Zeros, at the start of a cache line: registers as wide as one are loaded from there in one go.
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
  Impl(const PictureFormat& format, const Rect& part, const TensorSpec& tensor_spec, Coverage coverage,
       const Kernels& kernels);

  void run(const Picture& picture, float* tensor);
  void load(std::size_t quad);
  void read_lines(std::size_t quad);
  void add_to_block(std::size_t first_line, std::size_t group);
  void across(std::size_t row, std::uint8_t* out);
  void finish_turned(std::size_t first_row, std::size_t count, float* tensor);
  void write(int y, const std::uint8_t* line, std::size_t step, float* tensor) const;

  std::size_t width() const { return xs.size(); }
  std::uint32_t* ring_row(std::size_t quad) { return &ring[quad % ring_quads * ring_width]; }
  PlanarRow line(std::size_t i) {
    std::uint8_t* const red = &lines[i * line_size];
    return {red, red + plane_size, red + 2 * plane_size};
  }

  Rect part;
  TensorSpec spec;
  const Kernels& kernels;
  Geometry geometry;
  bool columns_first;
  std::vector<int> xs, ys;    // the columns and rows of the resized part that some window shows
  FilterTable columns, rows;  // count the part's columns and rows; the reader counts those of the picture
  QuadTable column_quads, row_quads;
  int left;  // the first source column read: even, because chroma comes in pairs
  RowReader reader;
  std::array<std::array<float, 256>, 3> tones{};  // byte to tensor

  std::size_t full_width;             // the source columns read
  std::size_t plane_size, line_size;  // bytes of them in one colour and in three, with room for the kernels
  Aligned<std::uint8_t> lines;        // rows at their full width: four from the reader; columns first: results, too
  Aligned<std::uint32_t> block;       // these rows as quads of columns
  std::size_t ring_quads, ring_width;
  Aligned<std::uint32_t> ring;              // quads of rows before the pass across them; quad q is at q % ring_quads
  std::vector<const std::uint32_t*> stack;  // the rows of the ring that make one output row
  Aligned<std::uint32_t> turned;            // columns first: finished rows, in quads
  Aligned<std::uint8_t> finished;           // rows first: one finished row
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
      column_quads(quad_table(columns, kernels)),
      row_quads(quad_table(rows, kernels)),
      left((part.x + columns.begin) / 2 * 2),
      reader(format, left, part.x + columns.end, kernels),
      full_width(static_cast<std::size_t>(part.x + columns.end - left)),
      plane_size((full_width + 63) / 64 * 64),
      line_size(3 * plane_size + kSlack),
      lines((4 + (columns_first ? kernels.rows : 0)) * line_size),
      block((full_width / 16 + 1) * 16 / 4 * 3 * kernels.rows),
      ring_quads(row_quads.quads + kernels.rows / 4),
      ring_width(3 * (columns_first ? plane_size : width()) + kSlack),
      ring(ring_quads * ring_width),
      stack(row_quads.quads),
      turned(columns_first ? kernels.rows / 4 * 3 * width() : 0),
      finished(3 * width() + kSlack) {
  for (std::size_t c = 0; c < 3; ++c)
    for (int byte = 0; byte < 256; ++byte)
      tones[c][static_cast<std::size_t>(byte)] =
          static_cast<float>((byte / 255.0 - double{spec.mean[c]}) / double{spec.std[c]});
}

void Preprocessor::Impl::run(const Picture& picture, float* tensor) {
  reader.start(picture);
  std::size_t next = 0;  // the first quad of source rows not yet in the ring
  for (std::size_t i = 0; i < ys.size(); ++i) {
    const QuadTable::Entry& entry = row_quads.entries[i];
    next = std::max(next, entry.first);
    for (const std::size_t step = columns_first ? 1 : kernels.rows / 4; next < entry.first + entry.count; next += step)
      load(next);
    if (!columns_first) {
      across(i, finished.data());
      write(ys[i], finished.data(), 1, tensor);
      continue;
    }
    const std::size_t waiting = i % kernels.rows + 1;
    across(i, line(4 + waiting - 1)[0]);
    if (waiting == kernels.rows || i + 1 == ys.size()) finish_turned(i + 1 - waiting, waiting, tensor);
  }
}

// Four source rows into the lines. Those past the last one needed keep what they have: it counts for nothing.
void Preprocessor::Impl::read_lines(std::size_t quad) {
  const int first = rows.begin + 4 * static_cast<int>(quad), end = std::min(first + 4, rows.end);
  for (int y = first; y < end; ++y) reader.read(part.y + y, line(static_cast<std::size_t>(y - first)));
}

// Four lines into the block, as the rows of this group.
void Preprocessor::Impl::add_to_block(std::size_t first_line, std::size_t group) {
  const std::ptrdiff_t skipped = part.x + columns.begin - left;
  const auto quads = (static_cast<std::size_t>(columns.end - columns.begin) + 3) / 4;
  for (std::size_t c = 0; c < 3; ++c) {
    std::array<const std::uint8_t*, 4> four{};
    for (std::size_t k = 0; k < 4; ++k) four[k] = line(first_line + k)[c] + skipped;
    kernels.columns(four.data(), quads, &block[c * kernels.rows + 4 * group], 3 * kernels.rows);
  }
}

// Source rows into the ring: one quad of them where columns come first, else as many as the kernels take at once.
void Preprocessor::Impl::load(std::size_t quad) {
  if (columns_first) {
    read_lines(quad);
    for (std::size_t c = 0; c < 3; ++c) {
      const std::array<const std::uint8_t*, 4> four{line(0)[c], line(1)[c], line(2)[c], line(3)[c]};
      kernels.stack(four.data(), full_width, ring_row(quad) + c * plane_size);
    }
    return;
  }
  std::array<std::uint32_t*, kMaxRows / 4> out{};
  for (std::size_t group = 0; group < kernels.rows / 4; ++group) {
    out[group] = ring_row(quad + group);
    read_lines(quad + group);
    add_to_block(0, group);
  }
  kernels.along(column_quads, block.data(), width(), out.data());
}

// Rows of the ring into one row of bytes.
void Preprocessor::Impl::across(std::size_t row, std::uint8_t* out) {
  const QuadTable::Entry& entry = row_quads.entries[row];
  for (std::size_t q = 0; q < entry.count; ++q) stack[q] = ring_row(entry.first + q);
  kernels.across(row_quads, entry, stack.data(), 3 * (columns_first ? plane_size : width()), out);
}

// The lines, which have passed across the rows, along the rows and into the tensor.
void Preprocessor::Impl::finish_turned(std::size_t first_row, std::size_t count, float* tensor) {
  std::array<std::uint32_t*, kMaxRows / 4> out{};
  for (std::size_t group = 0; group < kernels.rows / 4; ++group) {
    out[group] = &turned[group * 3 * width()];
    add_to_block(4 + 4 * group, group);
  }
  kernels.along(column_quads, block.data(), width(), out.data());
  for (std::size_t i = 0; i < count; ++i)
    write(ys[first_row + i], reinterpret_cast<const std::uint8_t*>(out[i / 4]) + i % 4, 4, tensor);
}

// Row y of the resized picture into every tile that shows it. Its bytes lie `step` apart.
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
      const std::array<float, 256>& tone = tones[c];
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
