// SPDX-License-Identifier: LGPL-2.1-or-later
// Formats whose components are whole bytes or 16-bit words, planar or packed, subsampled or not: a sprite holds, for
// each plane, what to add and how much to keep of every sample, laid out as the plane itself.

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "overlay/blend.hpp"
#include "overlay/colour_space.hpp"
#include "overlay/sprite.hpp"

namespace bcp::overlay {
namespace {

constexpr unsigned kNoAlpha = ~0U;

// One component of the frame, in samples of the plane it is in.
struct Component {
  unsigned plane = 0;
  int step = 0, start = 0;       // samples from one to the next, and before the first
  int shift_x = 0, shift_y = 0;  // a sample stands for 2^shift_x by 2^shift_y pixels
  int shift = 0;                 // bits below the code

  static Component of(const GstVideoFormatInfo& f, unsigned c, int sample_bytes) {
    return {f.plane[c],
            f.pixel_stride[c] / sample_bytes,
            static_cast<int>(f.poffset[c]) / sample_bytes,
            static_cast<int>(f.w_sub[c]),
            static_cast<int>(f.h_sub[c]),
            static_cast<int>(f.shift[c])};
  }
  // How many samples, and rows of them, cover so many pixels.
  int across(int pixels) const { return (pixels + (1 << shift_x) - 1) >> shift_x; }
  int down(int pixels) const { return (pixels + (1 << shift_y) - 1) >> shift_y; }
};

template <typename Sample>
class SampleSprite final : public Sprite {
 public:
  SampleSprite(const Image& image, const GstVideoInfo& info) : width_(image.width), height_(image.height) {
    const GstVideoFormatInfo& f = *info.finfo;
    const auto codes = component_codes(f, info.colorimetry);
    for (unsigned c = 0; c < f.n_components; ++c) components_.push_back(Component::of(f, c, sizeof(Sample)));
    planes_.resize(f.n_planes);
    for (const Component& c : components_) {
      Plane& plane = planes_[c.plane];
      plane.stride = std::max(plane.stride, c.across(width_) * c.step);
      plane.rows = std::max(plane.rows, c.down(height_));
    }
    for (Plane& plane : planes_) {
      const auto size = static_cast<std::size_t>(plane.stride) * static_cast<std::size_t>(plane.rows);
      plane.add.assign(size, 0);
      plane.keep.assign(size, kMost);  // the fourth byte of RGBx stays what it is
    }
    for (unsigned c = 0; c < f.n_components; ++c) fill(image, components_[c], codes[c]);
    const bool packed_alpha = f.n_components == 4 && f.n_planes == 1 && components_[3].step == 4;
    if (packed_alpha) alpha_ = static_cast<unsigned>(components_[3].start);
  }

  void blend(const GstVideoFrame& frame, int x, int y) const override {
    const int width = std::min(width_, GST_VIDEO_FRAME_WIDTH(&frame) - x);
    const int height = std::min(height_, GST_VIDEO_FRAME_HEIGHT(&frame) - y);
    if (width <= 0 || height <= 0) return;
    for (unsigned p = 0; p < planes_.size(); ++p) blend_plane(frame, p, x, y, width, height);
  }

 private:
  static constexpr Sample kMost = static_cast<Sample>(~Sample{0});

  struct Plane {
    int stride = 0, rows = 0;  // samples, rows
    std::vector<Sample> add, keep;
  };

  void fill(const Image& image, const Component& c, const ComponentCode& code) {
    Plane& plane = planes_[c.plane];
    const int block_x = 1 << c.shift_x, block_y = 1 << c.shift_y;
    // Sums of bytes to codes, in 16.16.
    const double unit = 65536.0 * (1 << c.shift) / (255.0 * block_x * block_y);
    const auto fixed = [unit](double value) { return std::llround(value * unit); };
    const std::int64_t red = fixed(code.red), green = fixed(code.green), blue = fixed(code.blue),
                       offset = fixed(code.offset);
    const double most = code.most * (1 << c.shift);
    const auto opaque = static_cast<unsigned>(255 * block_x * block_y);
    for (int y = 0; y < plane.rows && y < c.down(image.height); ++y) {
      const std::ptrdiff_t row = std::ptrdiff_t{y} * plane.stride + c.start;
      for (int x = 0; x < c.across(image.width); ++x) {
        unsigned r = 0, g = 0, b = 0, a = 0;
        for (int dy = 0; dy < block_y; ++dy) {
          const std::uint32_t* pixels = image.row((y << c.shift_y) + dy) + (x << c.shift_x);
          for (int dx = 0; dx < block_x; ++dx) {
            const std::uint32_t pixel = pixels[dx];
            a += pixel >> 24, r += pixel >> 16 & 255, g += pixel >> 8 & 255, b += pixel & 255;
          }
        }
        if (a == 0) continue;
        const std::int64_t value = (red * r + green * g + blue * b + offset * a + 32768) >> 16;
        const auto kept = static_cast<Sample>((std::uint64_t{kMost} * (opaque - a) + opaque / 2) / opaque);
        // Never more than the alpha leaves room for, so that the sum stays a sample.
        const auto room = static_cast<std::int64_t>(most * (kMost - kept) / kMost + 0.5);
        const std::ptrdiff_t at = row + std::ptrdiff_t{x} * c.step;
        plane.add[static_cast<std::size_t>(at)] = static_cast<Sample>(std::clamp<std::int64_t>(value, 0, room));
        plane.keep[static_cast<std::size_t>(at)] = kept;
      }
    }
  }

  void blend_plane(const GstVideoFrame& frame, unsigned p, int x, int y, int width, int height) const {
    const Plane& plane = planes_[p];
    int first = 0, count = 0, top = 0, rows = 0;
    for (const Component& c : components_) {
      if (c.plane != p) continue;
      first = (x >> c.shift_x) * c.step;
      top = y >> c.shift_y;
      // To the last sample of the last pixel and not beyond: what follows may be padding.
      count = std::max(count, (c.across(width) - 1) * c.step + c.start + 1);
      rows = std::max(rows, c.down(height));
    }
    auto* bytes = static_cast<std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, p));
    const std::ptrdiff_t stride = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p);
    for (int row = 0; row < rows; ++row) {
      auto* samples = reinterpret_cast<Sample*>(bytes + (top + row) * stride) + first;
      const std::ptrdiff_t at = std::ptrdiff_t{row} * plane.stride;
      if (alpha_ != kNoAlpha) {
        blend_over_alpha(samples, plane.add.data() + at, plane.keep.data() + at, static_cast<unsigned>(width));
      } else {
        blend_samples(samples, plane.add.data() + at, plane.keep.data() + at, static_cast<std::size_t>(count));
      }
    }
  }

  // Four samples a pixel, one of them alpha. Colours are not premultiplied in a frame, so where the frame is
  // translucent they have to be weighted.
  void blend_over_alpha(Sample* samples, const Sample* add, const Sample* keep, unsigned pixels) const {
    for (unsigned i = 0; i < pixels; ++i, samples += 4, add += 4, keep += 4) {
      if (keep[alpha_] == kMost) continue;
      const std::uint64_t under = samples[alpha_];
      if (under == kMost) {
        blend_samples(samples, add, keep, 4);
        continue;
      }
      const double remains = static_cast<double>(under) * keep[alpha_] / kMost;
      const double alpha = add[alpha_] + remains;
      for (unsigned c = 0; c < 4; ++c) {
        if (c == alpha_) continue;
        const double sum = static_cast<double>(add[c]) * kMost + samples[c] * remains;
        samples[c] = static_cast<Sample>(std::min<double>(kMost, sum / alpha + 0.5));
      }
      samples[alpha_] = static_cast<Sample>(std::min<double>(kMost, alpha + 0.5));
    }
  }

  int width_, height_;
  std::vector<Component> components_;
  std::vector<Plane> planes_;
  unsigned alpha_ = kNoAlpha;  // where alpha is in a pixel of four samples
};

// Whether each component is a word of so many bytes.
bool has_samples(const GstVideoFormatInfo& f, int bytes) {
  constexpr auto no = static_cast<GstVideoFormatFlags>(GST_VIDEO_FORMAT_FLAG_COMPLEX | GST_VIDEO_FORMAT_FLAG_TILED |
                                                       GST_VIDEO_FORMAT_FLAG_PALETTE);
  if (f.flags & no || f.n_components == 0) return false;
  // Words are read as the machine has them.
  if (bytes == 2 && (std::endian::native != std::endian::little || !(f.flags & GST_VIDEO_FORMAT_FLAG_LE))) return false;
  for (unsigned c = 0; c < f.n_components; ++c) {
    const auto depth = static_cast<int>(f.depth[c]);
    if (bytes == 1 ? depth != 8 || f.shift[c] != 0 : depth <= 8 || depth + static_cast<int>(f.shift[c]) > 16)
      return false;
    if (f.pixel_stride[c] % bytes != 0 || static_cast<int>(f.poffset[c]) % bytes != 0) return false;
    if (1 << f.w_sub[c] > kGrid || 1 << f.h_sub[c] > kGrid) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<Sprite> make_sample_sprite(const Image& image, const GstVideoInfo& info) {
  if (has_samples(*info.finfo, 1)) return std::make_unique<SampleSprite<std::uint8_t>>(image, info);
  if (has_samples(*info.finfo, 2)) return std::make_unique<SampleSprite<std::uint16_t>>(image, info);
  return nullptr;
}

}  // namespace bcp::overlay
