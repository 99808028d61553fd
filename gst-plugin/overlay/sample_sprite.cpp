// SPDX-License-Identifier: LGPL-2.1-or-later
// Formats whose components are whole bytes or 16-bit words, planar or packed, subsampled or not: a sprite holds, for
// each plane, what to add and how much to keep of every sample, laid out as the plane itself.

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
  int step = 0, start = 0;       // samples from one to the next, and before the first
  int shift_x = 0, shift_y = 0;  // a sample stands for 2^shift_x by 2^shift_y pixels
  int shift = 0;                 // bits below the code

  static Component of(const GstVideoFormatInfo& f, unsigned c, int bytes) {
    // Rounded up: the description of P010 says that V is one byte after U (GStreamer 1.22), and means one sample.
    const int start = (static_cast<int>(f.poffset[c]) + bytes - 1) / bytes;
    return {f.plane[c],
            f.pixel_stride[c] / bytes,
            start,
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
    if (c.shift_x == 0 && c.shift_y == 0) return fill<0, 0>(image, c, code);
    if (c.shift_x == 1 && c.shift_y == 0) return fill<1, 0>(image, c, code);
    if (c.shift_x == 1 && c.shift_y == 1) return fill<1, 1>(image, c, code);
    if (c.shift_x == 2 && c.shift_y == 0) return fill<2, 0>(image, c, code);
    fill<2, 2>(image, c, code);
  }

  // For samples that stand for 2^X by 2^Y pixels. Frame by frame this is what a changing panel costs, so the sums are
  // whole numbers and the blocks of a size known to the compiler.
  template <int X, int Y>
  void fill(const Image& image, const Component& c, const ComponentCode& code) {
    using Sum = std::conditional_t<sizeof(Sample) == 1, std::int32_t, std::int64_t>;
    constexpr int kBits = sizeof(Sample) == 1 ? 14 : 16;
    constexpr int kPixels = 1 << (X + Y);
    const double unit = static_cast<double>(1 << kBits) * (1 << c.shift) / (255.0 * kPixels);
    const auto fixed = [unit](double value) { return static_cast<Sum>(std::llround(value * unit)); };
    const Sum red = fixed(code.red), green = fixed(code.green), blue = fixed(code.blue), offset = fixed(code.offset);

    // By the sum of a block's alphas: how much is kept, and how much room that leaves, so that the two together are
    // always a sample.
    constexpr int kOpaque = 255 * kPixels;
    std::array<Sample, kOpaque + 1> keep, room;
    for (int a = 0; a <= kOpaque; ++a) {
      const double share = static_cast<double>(a) / kOpaque;
      keep[static_cast<std::size_t>(a)] = static_cast<Sample>(std::lround(kMost * (1 - share)));
      room[static_cast<std::size_t>(a)] = static_cast<Sample>(std::lround(code.most * (1 << c.shift) * share));
    }

    Plane& plane = planes_[c.plane];
    for (int y = 0; y < image.height >> Y; ++y) {
      const std::ptrdiff_t first = std::ptrdiff_t{y} * plane.stride + c.start;
      Sample* add_at = plane.add.data() + first;
      Sample* keep_at = plane.keep.data() + first;
      for (int x = 0; x < image.width >> X; ++x, add_at += c.step, keep_at += c.step) {
        // Two channels at a time: a block's sums stay below 16 bits.
        std::uint32_t alpha_green = 0, red_blue = 0;
        for (int dy = 0; dy < 1 << Y; ++dy) {
          const std::uint32_t* pixels = image.row((y << Y) + dy) + (x << X);
          for (int dx = 0; dx < 1 << X; ++dx) {
            alpha_green += pixels[dx] >> 8 & 0x00ff00ff;
            red_blue += pixels[dx] & 0x00ff00ff;
          }
        }
        const std::uint32_t a = alpha_green >> 16;
        const auto part = [](std::uint32_t sum) { return static_cast<Sum>(sum); };
        const Sum value = (red * part(red_blue >> 16) + green * part(alpha_green & 0xffff) +
                           blue * part(red_blue & 0xffff) + offset * part(a) + (Sum{1} << (kBits - 1))) >>
                          kBits;
        *add_at = static_cast<Sample>(std::clamp<Sum>(value, 0, room[a]));
        *keep_at = keep[a];
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

// Whether the format's description says where the samples are. That of Y210 and its kin puts all components in the same
// place, and that of VYUY swaps two (GStreamer 1.22).
bool is_described(const GstVideoFormatInfo& f) {
  for (unsigned c = 0; c < f.n_components; ++c) {
    for (unsigned d = 0; d < c; ++d) {
      if (f.plane[c] == f.plane[d] && f.poffset[c] == f.poffset[d]) return false;
    }
  }
  return f.format != GST_VIDEO_FORMAT_VYUY && f.tile_mode == GST_VIDEO_TILE_MODE_UNKNOWN;
}

// Whether each component is a word of so many bytes.
bool has_samples(const GstVideoFormatInfo& f, int bytes) {
  constexpr auto no = static_cast<GstVideoFormatFlags>(GST_VIDEO_FORMAT_FLAG_COMPLEX | GST_VIDEO_FORMAT_FLAG_TILED |
                                                       GST_VIDEO_FORMAT_FLAG_PALETTE);
  if (f.flags & no || f.n_components == 0 || !is_described(f)) return false;
  // Words are read as the machine has them.
  if (bytes == 2 && (std::endian::native != std::endian::little || !(f.flags & GST_VIDEO_FORMAT_FLAG_LE))) return false;
  for (unsigned c = 0; c < f.n_components; ++c) {
    const auto depth = static_cast<int>(f.depth[c]);
    if (bytes == 1 ? depth != 8 || f.shift[c] != 0 : depth <= 8 || depth + static_cast<int>(f.shift[c]) > 16)
      return false;
    if (f.pixel_stride[c] < bytes || f.pixel_stride[c] % bytes != 0) return false;
    // What fill() knows.
    const unsigned w = f.w_sub[c], h = f.h_sub[c];
    if (!(w <= 2 && h == 0) && !(w == 1 && h == 1) && !(w == 2 && h == 2)) return false;
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
