// SPDX-License-Identifier: LGPL-2.1-or-later
// Formats whose components share bytes (RGB16, v210, tiles, non-native byte order): the lines under the sprite are
// unpacked and packed again with GStreamer's functions, which are lossless.

#include <algorithm>
#include <cmath>
#include <vector>

#include "overlay/blend.hpp"
#include "overlay/colour_space.hpp"
#include "overlay/sprite.hpp"

namespace bcp::overlay {
namespace {

// Unpacked, a pixel is four samples: alpha, then the components.
template <typename Sample>
class LineSprite final : public Sprite {
 public:
  LineSprite(const Image& image, const GstVideoInfo& info)
      : width_(image.width), height_(image.height), add_(image.pixels.size() * 4), keep_(image.pixels.size() * 4) {
    constexpr double most = static_cast<Sample>(~Sample{0});
    const GstVideoFormatInfo& unpacked = *gst_video_format_get_info(info.finfo->unpack_format);
    const auto codes = component_codes(unpacked, info.colorimetry);
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
      const std::uint32_t pixel = image.pixels[i];
      const double a = (pixel >> 24) / 255.0, r = (pixel >> 16 & 255) / 255.0, g = (pixel >> 8 & 255) / 255.0,
                   b = (pixel & 255) / 255.0;
      for (unsigned c = 0; c < 4; ++c) {
        // The components of ARGB and AYUV are numbered with alpha last, and stored with alpha first.
        const ComponentCode& code = codes[c == 0 ? 3 : c - 1];
        const double value = code.red * r + code.green * g + code.blue * b + code.offset * a;
        add_[i * 4 + c] = static_cast<Sample>(std::lround(std::clamp(value, 0.0, most * a)));
        keep_[i * 4 + c] = static_cast<Sample>(std::lround(most * (1 - a)));
      }
    }
  }

  void blend(const GstVideoFrame& frame, int x, int y) const override {
    const GstVideoFormatInfo& f = *frame.info.finfo;
    const int width = std::min(width_, GST_VIDEO_FRAME_WIDTH(&frame) - x);
    const int height = std::min(height_, GST_VIDEO_FRAME_HEIGHT(&frame) - y);
    if (width <= 0 || height <= 0) return;
    // Some formats unpack whole groups of pixels.
    std::vector<Sample> line(static_cast<std::size_t>(GST_VIDEO_FRAME_WIDTH(&frame) + 64) * 4);
    auto* const data = const_cast<gpointer*>(frame.data);
    const auto* const stride = frame.info.stride;
    for (int row = 0; row < height; ++row) {
      f.unpack_func(&f, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE, line.data(), data, stride, 0, y + row,
                    GST_VIDEO_FRAME_WIDTH(&frame));
      const std::ptrdiff_t at = std::ptrdiff_t{row} * width_ * 4;
      blend_samples(line.data() + std::ptrdiff_t{x} * 4, add_.data() + at, keep_.data() + at,
                    static_cast<std::size_t>(width) * 4);
      f.pack_func(&f, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE, line.data(), 0, data, stride, frame.info.chroma_site, y + row,
                  GST_VIDEO_FRAME_WIDTH(&frame));
    }
  }

 private:
  int width_, height_;
  std::vector<Sample> add_, keep_;
};

}  // namespace

std::unique_ptr<Sprite> make_line_sprite(const Image& image, const GstVideoInfo& info) {
  const GstVideoFormatInfo& f = *info.finfo;
  if (!f.unpack_func || !f.pack_func || f.pack_lines != 1 || f.flags & GST_VIDEO_FORMAT_FLAG_PALETTE) return nullptr;
  switch (f.unpack_format) {
    case GST_VIDEO_FORMAT_ARGB:
    case GST_VIDEO_FORMAT_AYUV:
      return std::make_unique<LineSprite<std::uint8_t>>(image, info);
    case GST_VIDEO_FORMAT_ARGB64:
    case GST_VIDEO_FORMAT_AYUV64:
      return std::make_unique<LineSprite<std::uint16_t>>(image, info);
    default:
      return nullptr;
  }
}

}  // namespace bcp::overlay
