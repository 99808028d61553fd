// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/preprocessor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "image/geometry.hpp"
#include "image/kernels.hpp"
#include "image/rgb_resizer.hpp"
#include "image/tensor_writer.hpp"
#include "image/yuv_matrix.hpp"
#include "image/yuv_resizer.hpp"

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

struct Preprocessor::Impl {
  using Resizer = std::variant<RgbResizer, YuvResizer>;

  Impl(const PictureFormat& format, const Rect& part, const TensorSpec& spec, Coverage coverage, const Kernels& kernels)
      : writer(spec, plan_geometry(sized(format, part), spec, coverage), kernels),
        resizer(spec.accuracy == Accuracy::kClose && YuvResizer::takes(format)
                    ? Resizer(std::in_place_type<YuvResizer>, format, part, spec.filter, writer, kernels)
                    : Resizer(std::in_place_type<RgbResizer>, format, part, spec.filter, writer, kernels)),
        size(static_cast<std::size_t>(spec.size)) {}

  TensorWriter writer;
  Resizer resizer;
  std::size_t size;
};

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
  return static_cast<int>(impl_->writer.geometry().windows.size());
}

std::size_t Preprocessor::tensor_size() const {
  return impl_->writer.geometry().windows.size() * 3 * impl_->size * impl_->size;
}

void Preprocessor::run(const Picture& picture, std::span<float> tensor) {
  std::visit([&](auto& resizer) { resizer.run(picture, impl_->writer, tensor.data()); }, impl_->resizer);
}

}  // namespace bcp::image
