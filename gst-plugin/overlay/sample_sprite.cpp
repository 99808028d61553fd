// SPDX-License-Identifier: LGPL-2.1-or-later
// Formats whose components are whole bytes or 16-bit words, planar or packed, subsampled or not. For each plane, a
// sprite holds what to add to every sample and how much of it to keep, in the layout of the plane.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>
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
  int step = 0, start = 0;       // distance between samples, and offset of the first
  int shift_x = 0, shift_y = 0;  // a sample covers 2^shift_x by 2^shift_y pixels
  int shift = 0;                 // unused low bits

  static Component of(const GstVideoFormatInfo& f, unsigned c, int bytes) {
    // Rounded up: GStreamer 1.22 describes V of P010 as one byte after U, but it is one sample after U.
    const int start = (static_cast<int>(f.poffset[c]) + bytes - 1) / bytes;
    return {f.plane[c],
            f.pixel_stride[c] / bytes,
            start,
            static_cast<int>(f.w_sub[c]),
            static_cast<int>(f.h_sub[c]),
            static_cast<int>(f.shift[c])};
  }
  bool shares_like(const Component& other) const { return shift_x == other.shift_x && shift_y == other.shift_y; }
  // The number of samples, and of rows, that cover this many pixels.
  int across(int pixels) const { return (pixels + (1 << shift_x) - 1) >> shift_x; }
  int down(int pixels) const { return (pixels + (1 << shift_y) - 1) >> shift_y; }
};

using Codes = std::array<ComponentCode, GST_VIDEO_MAX_COMPONENTS>;

// A row of blocks of pixels: the sum of each block.
struct BlockRow {
  explicit BlockRow(std::size_t blocks) : alpha(blocks), red(blocks), green(blocks), blue(blocks) {}
  std::size_t size() const { return alpha.size(); }

  // Row `y` of the blocks of 2^shift_x by 2^shift_y pixels.
  void sum(const Image& image, int y, int shift_x, int shift_y) {
    for (int row = y << shift_y; row < (y + 1) << shift_y; ++row) {
      const bool first = row == y << shift_y;
      if (shift_x == 0) add<0>(image.row(row), first);
      if (shift_x == 1) add<1>(image.row(row), first);
      if (shift_x == 2) add<2>(image.row(row), first);
    }
  }

  // Adds to the sums, or sets them for the first row. The pointers are declared not to overlap, so that compilers can
  // vectorise this.
  template <int kShift>
  void add(const std::uint32_t* __restrict pixels, bool first) {
    std::uint16_t* __restrict a = alpha.data();
    std::uint16_t* __restrict r = red.data();
    std::uint16_t* __restrict g = green.data();
    std::uint16_t* __restrict b = blue.data();
    const auto kept = static_cast<std::uint16_t>(first ? 0 : 0xffff);
    for (std::size_t x = 0, n = size(); x < n; ++x) {
      std::uint32_t sum_a = a[x] & kept, sum_r = r[x] & kept, sum_g = g[x] & kept, sum_b = b[x] & kept;
      for (std::size_t i = 0; i < std::size_t{1} << kShift; ++i) {
        const std::uint32_t pixel = pixels[(x << kShift) + i];
        sum_a += pixel >> 24, sum_r += pixel >> 16 & 255, sum_g += pixel >> 8 & 255, sum_b += pixel & 255;
      }
      a[x] = static_cast<std::uint16_t>(sum_a), r[x] = static_cast<std::uint16_t>(sum_r);
      g[x] = static_cast<std::uint16_t>(sum_g), b[x] = static_cast<std::uint16_t>(sum_b);
    }
  }

  std::vector<std::uint16_t> alpha, red, green, blue;
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
      plane.keep.assign(size, kMost);  // the fourth byte of RGBx is not changed
    }
    for (std::size_t c = 0; c < components_.size(); ++c) {
      const auto same = [&](const Component& other) { return other.shares_like(components_[c]); };
      const auto first = std::find_if(components_.begin(), components_.end(), same);
      if (first == components_.begin() + static_cast<std::ptrdiff_t>(c)) fill(image, components_[c], codes);
    }
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

  // All components with the same subsampling as `like`, one row of samples at a time. If a panel changes with every
  // frame, this is most of the cost, so compilers must be able to vectorise each loop.
  void fill(const Image& image, const Component& like, const Codes& codes) {
    BlockRow blocks(static_cast<std::size_t>(like.across(image.width)));
    std::vector<Sample> add(blocks.size()), keep(blocks.size());
    for (int y = 0; y < like.down(image.height); ++y) {
      blocks.sum(image, y, like.shift_x, like.shift_y);
      for (std::size_t c = 0; c < components_.size(); ++c) {
        const Component& component = components_[c];
        if (!component.shares_like(like)) continue;
        Plane& plane = planes_[component.plane];
        auto at = static_cast<std::size_t>(y) * static_cast<std::size_t>(plane.stride) +
                  static_cast<std::size_t>(component.start);
        if (component.step == 1) {
          encode(blocks, component, codes[c], plane.add.data() + at, plane.keep.data() + at);
          continue;
        }
        encode(blocks, component, codes[c], add.data(), keep.data());
        for (std::size_t x = 0; x < blocks.size(); ++x, at += static_cast<std::size_t>(component.step)) {
          plane.add[at] = add[x];
          plane.keep[at] = keep[x];
        }
      }
    }
  }

  static void encode(const BlockRow& blocks, const Component& c, const ComponentCode& code, Sample* __restrict add,
                     Sample* __restrict keep) {
    using Sum = std::conditional_t<sizeof(Sample) == 1, std::int32_t, std::int64_t>;
    constexpr int kBits = sizeof(Sample) == 1 ? 14 : 16;
    const int pixels = c.shift_x + c.shift_y;  // in a block, as a power of two
    const double unit = std::ldexp(1.0, kBits + c.shift - pixels) / 255;
    const auto fixed = [unit](double value) { return static_cast<Sum>(std::llround(value * unit)); };
    const Sum red = fixed(code.red), green = fixed(code.green), blue = fixed(code.blue), offset = fixed(code.offset);
    const Sum half = Sum{1} << (kBits - 1), half_block = (Sum{1} << pixels) / 2;
    const Sum most = static_cast<Sum>(code.most) << c.shift;
    const std::uint16_t* __restrict r = blocks.red.data();
    const std::uint16_t* __restrict g = blocks.green.data();
    const std::uint16_t* __restrict b = blocks.blue.data();
    const std::uint16_t* __restrict a = blocks.alpha.data();
    for (std::size_t x = 0, n = blocks.size(); x < n; ++x) {
      const Sum value = (red * r[x] + green * g[x] + blue * b[x] + offset * a[x] + half) >> kBits;
      const Sum opaque = (a[x] * Sum{kMost / 255} + half_block) >> pixels;
      // Limited by alpha, so that the sum does not exceed the largest sample.
      const Sum room = sizeof(Sample) == 1 ? opaque : most * opaque / kMost;
      add[x] = static_cast<Sample>(std::clamp<Sum>(value, 0, room));
      keep[x] = static_cast<Sample>(kMost - opaque);
    }
  }

  void blend_plane(const GstVideoFrame& frame, unsigned p, int x, int y, int width, int height) const {
    const Plane& plane = planes_[p];
    int first = 0, count = 0, top = 0, rows = 0;
    for (const Component& c : components_) {
      if (c.plane != p) continue;
      first = (x >> c.shift_x) * c.step;
      top = y >> c.shift_y;
      // Ends at the last sample of the last pixel: padding may follow.
      count = std::max(count, (c.across(width) - 1) * c.step + c.start + 1);
      rows = std::max(rows, c.down(height));
    }
    auto* bytes = static_cast<std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, p));
    const std::ptrdiff_t stride = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p);
    for (int row = 0; row < rows; ++row) {
      auto* samples = reinterpret_cast<Sample*>(bytes + (top + row) * stride) + first;
      const std::ptrdiff_t at = std::ptrdiff_t{row} * plane.stride;
      if (alpha_ != kNoAlpha && !is_opaque(samples, width)) {
        blend_over_alpha(samples, plane.add.data() + at, plane.keep.data() + at, static_cast<unsigned>(width));
      } else {
        blend_samples(samples, plane.add.data() + at, plane.keep.data() + at, static_cast<std::size_t>(count));
      }
    }
  }

  bool is_opaque(const Sample* samples, int pixels) const {
    Sample all = kMost;
    for (int i = 0; i < pixels; ++i) all &= samples[std::ptrdiff_t{i} * 4 + static_cast<std::ptrdiff_t>(alpha_)];
    return all == kMost;
  }

  // For four samples per pixel, one of them alpha. The colours of a frame are not premultiplied, so they must be
  // weighted with the frame's alpha.
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

// Whether the format's description gives the correct position of samples. For Y210 and similar formats all components
// have the same position, and for VYUY two are swapped (GStreamer 1.22).
bool is_described(const GstVideoFormatInfo& f) {
  for (unsigned c = 0; c < f.n_components; ++c) {
    for (unsigned d = 0; d < c; ++d) {
      if (f.plane[c] == f.plane[d] && f.poffset[c] == f.poffset[d]) return false;
    }
  }
  return f.format != GST_VIDEO_FORMAT_VYUY && f.tile_mode == GST_VIDEO_TILE_MODE_UNKNOWN;
}

// Whether each component is a word of `bytes` bytes.
bool has_samples(const GstVideoFormatInfo& f, int bytes) {
  constexpr auto no = static_cast<GstVideoFormatFlags>(GST_VIDEO_FORMAT_FLAG_COMPLEX | GST_VIDEO_FORMAT_FLAG_TILED |
                                                       GST_VIDEO_FORMAT_FLAG_PALETTE);
  if (f.flags & no || f.n_components == 0 || !is_described(f)) return false;
  // Words are read in native byte order.
  if (bytes == 2 && (std::endian::native != std::endian::little || !(f.flags & GST_VIDEO_FORMAT_FLAG_LE))) return false;
  for (unsigned c = 0; c < f.n_components; ++c) {
    const auto depth = static_cast<int>(f.depth[c]);
    if (bytes == 1 ? depth != 8 || f.shift[c] != 0 : depth <= 8 || depth + static_cast<int>(f.shift[c]) > 16)
      return false;
    if (f.pixel_stride[c] < bytes || f.pixel_stride[c] % bytes != 0) return false;
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
