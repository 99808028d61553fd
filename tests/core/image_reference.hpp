// SPDX-License-Identifier: LGPL-2.1-or-later
// A second implementation of preprocessing: whole pictures, doubles, not optimised.
//
// It shares no code with src/image. Chroma is sampled at its continuous position, the picture is rotated before it is
// resized, and the resize is Pillow's in its simplest form.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "image/preprocessor.hpp"

namespace bcp::test {

inline std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

// Integers 0..255, three per pixel.
struct RgbImage {
  int width = 0, height = 0;
  std::vector<double> values = std::vector<double>(index(width * height * 3));

  double& at(int x, int y, int c) { return values[index((y * width + x) * 3 + c)]; }
  double at(int x, int y, int c) const { return values[index((y * width + x) * 3 + c)]; }
};

inline double round_to_byte(double v) {
  return std::floor(std::clamp(v, 0.0, 255.0) + 0.5);
}

// ---- stored bytes to red, green, blue

// A chroma plane at luma position (x, y), linearly interpolated, its edges repeated.
inline double chroma_at(const std::uint8_t* plane, std::ptrdiff_t stride, const image::PictureFormat& f, int x, int y) {
  const double cx = f.chroma_shift_x == 0 ? x : (x - (f.color.cosited_x ? 0 : 0.5)) / 2;
  const double cy = f.chroma_shift_y == 0 ? y : (y - (f.color.cosited_y ? 0 : 0.5)) / 2;
  const double left = std::floor(cx), top = std::floor(cy);
  const auto sample = [&](double i, double j) {
    const int column = std::clamp(static_cast<int>(i), 0, (f.width - 1) >> f.chroma_shift_x);
    const int row = std::clamp(static_cast<int>(j), 0, (f.height - 1) >> f.chroma_shift_y);
    return static_cast<double>(plane[row * stride + column * f.chroma_step]);
  };
  const double fx = cx - left, fy = cy - top;
  return (sample(left, top) * (1 - fx) + sample(left + 1, top) * fx) * (1 - fy) +
         (sample(left, top + 1) * (1 - fx) + sample(left + 1, top + 1) * fx) * fy;
}

inline std::array<double, 3> color_at(const image::PictureFormat& f, const image::Picture& p, int x, int y) {
  const std::uint8_t* row = p.plane[0] + y * p.stride[0];
  if (f.layout == image::Layout::kPacked) {
    const std::uint8_t* pixel = row + x * f.pixel_step;
    return {double(pixel[f.rgb_offset[0]]), double(pixel[f.rgb_offset[1]]), double(pixel[f.rgb_offset[2]])};
  }
  const int byte = row[f.layout == image::Layout::kYuv ? x * f.luma_step : x];
  const double luma = f.color.full_range ? byte / 255.0 : (byte - 16) / 219.0;
  if (f.layout == image::Layout::kGray) return {255 * luma, 255 * luma, 255 * luma};
  const double range = f.color.full_range ? 255.0 : 224.0;
  const double cb = (chroma_at(p.plane[1], p.stride[1], f, x, y) - 128) / range;
  const double cr = (chroma_at(p.plane[2], p.stride[2], f, x, y) - 128) / range;
  const double red = luma + 2 * (1 - f.color.kr) * cr, blue = luma + 2 * (1 - f.color.kb) * cb;
  const double green = (luma - f.color.kr * red - f.color.kb * blue) / (1 - f.color.kr - f.color.kb);
  return {255 * red, 255 * green, 255 * blue};
}

inline RgbImage to_rgb(const image::PictureFormat& f, const image::Picture& p) {
  RgbImage rgb{f.width, f.height};
  for (int y = 0; y < f.height; ++y)
    for (int x = 0; x < f.width; ++x) {
      const auto color = color_at(f, p, x, y);
      for (int c = 0; c < 3; ++c) rgb.at(x, y, c) = round_to_byte(color[index(c)]);
    }
  return rgb;
}

// ---- rotation

inline RgbImage flipped(const RgbImage& in) {
  RgbImage out{in.width, in.height};
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x)
      for (int c = 0; c < 3; ++c) out.at(in.width - 1 - x, y, c) = in.at(x, y, c);
  return out;
}

inline RgbImage quarter_turned(const RgbImage& in) {  // clockwise: the left column becomes the top row
  RgbImage out{in.height, in.width};
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x)
      for (int c = 0; c < 3; ++c) out.at(in.height - 1 - y, x, c) = in.at(x, y, c);
  return out;
}

inline RgbImage upright(RgbImage in, const image::Orientation& o) {
  if (o.flip) in = flipped(in);
  for (int turned = 0; turned < o.clockwise; turned += 90) in = quarter_turned(in);
  return in;
}

// ---- Pillow's resize, torchvision's crop

inline double cubic(double x) {
  x = std::abs(x);
  if (x < 1) return 1.5 * x * x * x - 2.5 * x * x + 1;
  if (x < 2) return -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2;
  return 0;
}

inline double kernel(image::Filter filter, double x) {
  return filter == image::Filter::kBicubic ? cubic(x) : std::max(0.0, 1 - std::abs(x));
}

inline RgbImage resized_across(const RgbImage& in, int width, image::Filter filter) {
  RgbImage out{width, in.height};
  const double scale = double(in.width) / width, stretch = std::max(scale, 1.0);
  const double support = (filter == image::Filter::kBicubic ? 2 : 1) * stretch;
  for (int x = 0; x < width; ++x) {
    const double centre = (x + 0.5) * scale;
    const int first = std::max(static_cast<int>(std::floor(centre - support + 0.5)), 0);
    const int last = std::min(static_cast<int>(std::floor(centre + support + 0.5)), in.width);
    double sum = 0;
    for (int i = first; i < last; ++i) sum += kernel(filter, (i - centre + 0.5) / stretch);
    for (int y = 0; y < in.height; ++y)
      for (int c = 0; c < 3; ++c) {
        double value = 0;
        for (int i = first; i < last; ++i) value += kernel(filter, (i - centre + 0.5) / stretch) * in.at(i, y, c);
        out.at(x, y, c) = round_to_byte(value / sum);
      }
  }
  return out;
}

inline RgbImage transposed(const RgbImage& in) {
  return flipped(quarter_turned(in));
}

inline RgbImage resized(const RgbImage& in, int width, int height, image::Filter filter = image::Filter::kBicubic) {
  return transposed(resized_across(transposed(resized_across(in, width, filter)), height, filter));
}

inline RgbImage cropped(const RgbImage& in, int left, int top, int size) {
  RgbImage out{size, size};
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x)
      for (int c = 0; c < 3; ++c) out.at(x, y, c) = in.at(left + x, top + y, c);
  return out;
}

inline std::vector<double> normalised(const RgbImage& in, const image::TensorSpec& spec) {
  std::vector<double> tensor;
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < in.height; ++y)
      for (int x = 0; x < in.width; ++x)
        tensor.push_back((in.at(x, y, c) / 255 - double(spec.mean[index(c)])) / double(spec.std[index(c)]));
  return tensor;
}

// The preprocessing of an upright picture with square pixels, as torchvision does it.
inline std::vector<double> clip_reference(const RgbImage& in, const image::TensorSpec& spec) {
  const bool wide = in.width >= in.height, squash = spec.resize == image::Resize::kSquash;
  const int side = spec.resize_to == 0 ? spec.size : spec.resize_to;
  const int longest = squash ? side : side * std::max(in.width, in.height) / std::min(in.width, in.height);
  const int width = wide ? longest : side, height = wide ? side : longest;
  const auto middle = [&](int length) { return static_cast<int>(std::nearbyint((length - spec.size) / 2.0)); };
  return normalised(cropped(resized(in, width, height, spec.filter), middle(width), middle(height), spec.size), spec);
}

// ---- running and comparing

inline image::TensorSpec clip_spec(int size = 224) {
  return {size, {0.48145466F, 0.4578275F, 0.40821073F}, {0.26862954F, 0.26130258F, 0.27577711F}};
}

// At most one level of a byte, in the units of clip_spec()'s tensors, and a little for float arithmetic.
inline constexpr double kOneLevel = 1 / (255 * 0.2613) + 1e-5;

inline std::vector<float> run(const image::PictureFormat& format, const image::Picture& picture,
                              const image::TensorSpec& spec, image::Coverage coverage = image::Coverage::kCentre) {
  auto preprocessor = image::Preprocessor::make(format, spec, coverage);
  if (!preprocessor) return {};
  std::vector<float> tensor(preprocessor->tensor_size(), std::nanf(""));
  preprocessor->run(picture, tensor);
  return tensor;
}

struct Difference {
  double worst = HUGE_VAL;  // infinite for tensors that cannot be compared
  double mean = HUGE_VAL;
};

template <typename A, typename B>
Difference difference(const A& a, const B& b) {
  if (a.size() != b.size() || a.empty()) return {};
  Difference d{0, 0};
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double each = std::abs(double(a[i]) - double(b[i]));
    if (!(each <= d.worst)) d.worst = each;  // a NaN stays
    d.mean += each / double(a.size());
  }
  return d;
}

// ---- pictures

enum class Content { kNoise, kSmooth };

// A picture and its bytes, every row padded by `padding` bytes that must not matter.
struct TestPicture {
  TestPicture(const image::PictureFormat& f, Content content, int padding = 0, unsigned seed = 1) : format(f) {
    std::mt19937 random(seed);
    const int step = f.layout == image::Layout::kPacked ? f.pixel_step : 1;
    if (f.layout != image::Layout::kYuv) {
      fill(0, f.width, f.height, step, 0, content, padding, random);
      return;
    }
    const int width = (f.width + f.chroma_shift_x) >> f.chroma_shift_x;
    const int height = (f.height + f.chroma_shift_y) >> f.chroma_shift_y;
    if (f.luma_step > 1) {  // one plane: Y U Y V, or Y U V
      fill(0, width, f.height, f.chroma_step, 0, content, padding, random);
      share(0, 1, 1);
      share(0, 2, 2 + f.chroma_shift_x);
      return;
    }
    fill(0, f.width, f.height, 1, 0, content, padding, random);
    fill(1, width, height, f.chroma_step, f.chroma_step == 2 ? 1 : 0, content, padding, random);
    if (f.chroma_step == 2) {
      share(1, 2, 1);
    } else {
      fill(2, width, height, 1, 0, content, padding, random);
    }
  }

  image::PictureFormat format;
  image::Picture picture;

 private:
  // The last row is not padded: reading past it is reading past the memory, which a sanitizer detects.
  void fill(std::size_t plane, int width, int height, int step, int shift, Content content, int padding,
            std::mt19937& random) {
    const int stride = width * step + padding;
    auto& b = bytes[plane];
    b.resize(index(stride * height - padding));
    auto word = random();
    for (std::size_t i = 0; i < b.size(); ++i, word >>= 8) {
      if (i % 4 == 0) word = random();
      b[i] = static_cast<std::uint8_t>(word);
    }
    if (content == Content::kSmooth)
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
          for (int c = 0; c < step; ++c)
            b[index(y * stride + x * step + c)] = static_cast<std::uint8_t>(
                128 + 127 * std::sin(x * 7.0 / width + (c + shift) * 2.0 + double(plane)) * std::cos(y * 5.0 / height));
    picture.plane[plane] = b.data();
    picture.stride[plane] = stride;
  }

  // Samples of `to` are stored this many bytes after those of `from`.
  void share(std::size_t from, std::size_t to, int offset) {
    picture.plane[to] = picture.plane[from] + offset;
    picture.stride[to] = picture.stride[from];
  }

  std::array<std::vector<std::uint8_t>, 3> bytes;
};

inline image::PictureFormat packed_format(int width, int height, int step = 3, std::array<int, 3> rgb = {0, 1, 2}) {
  image::PictureFormat f;
  f.width = width;
  f.height = height;
  f.pixel_step = step;
  f.rgb_offset = rgb;
  return f;
}

// The layouts of Y, U and V, each named after a format with that layout.
struct YuvLayout {
  const char* name;
  int luma_step, chroma_step, chroma_shift_x, chroma_shift_y;
};
inline constexpr YuvLayout kI420{"I420", 1, 1, 1, 1}, kNv12{"Nv12", 1, 2, 1, 1};
inline constexpr YuvLayout kY42b{"Y42b", 1, 1, 1, 0}, kNv16{"Nv16", 1, 2, 1, 0}, kYuy2{"Yuy2", 2, 4, 1, 0};
inline constexpr YuvLayout kY440{"Y440", 1, 1, 0, 1};
inline constexpr YuvLayout kY444{"Y444", 1, 1, 0, 0}, kNv24{"Nv24", 1, 2, 0, 0}, kV308{"V308", 3, 3, 0, 0};
inline constexpr YuvLayout kYuvLayouts[] = {kI420, kNv12, kY42b, kNv16, kYuy2, kY440, kY444, kNv24, kV308};

inline image::PictureFormat yuv_format(int width, int height, const YuvLayout& layout) {
  image::PictureFormat f;
  f.layout = image::Layout::kYuv;
  f.width = width;
  f.height = height;
  f.luma_step = layout.luma_step;
  f.chroma_step = layout.chroma_step;
  f.chroma_shift_x = layout.chroma_shift_x;
  f.chroma_shift_y = layout.chroma_shift_y;
  return f;
}

}  // namespace bcp::test
