// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures blended into frames of every format, compared with blending in RGB and conversion by GStreamer.

#include <array>
#include <cstring>

#include "overlay/colour_space.hpp"
#include "overlay/sprite.hpp"
#include "overlay_support.hpp"

namespace bcp::test {
namespace {

using overlay::Image;

constexpr int kBlock = 16;
constexpr int kWidth = 8 * kBlock, kHeight = 5 * kBlock;

// A frame with its own memory, mapped as long as it exists.
class Frame {
 public:
  explicit Frame(const GstVideoInfo& info)
      : buffer_(gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr)) {
    gst_buffer_memset(buffer_.get(), 0, 0, GST_VIDEO_INFO_SIZE(&info));
    gst_video_frame_map(&frame_, &info, buffer_.get(), GST_MAP_READWRITE);
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() { gst_video_frame_unmap(&frame_); }
  GstVideoFrame* get() { return &frame_; }
  std::uint8_t* plane(unsigned p) { return static_cast<std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame_, p)); }
  int stride(unsigned p) const { return GST_VIDEO_FRAME_PLANE_STRIDE(&frame_, p); }
  std::uint32_t* row(int y) { return reinterpret_cast<std::uint32_t*>(plane(0) + y * stride(0)); }  // of BGRA

 private:
  gst::BufferPtr buffer_;
  GstVideoFrame frame_;
};

GstVideoInfo info_of(GstVideoFormat format, int width = kWidth, int height = kHeight,
                     const char* colorimetry = nullptr) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, format, static_cast<guint>(width), static_cast<guint>(height));
  if (colorimetry && !gst_video_colorimetry_from_string(&info.colorimetry, colorimetry)) ADD_FAILURE() << colorimetry;
  return info;
}

void convert(Frame& from, Frame& to) {
  GstVideoConverter* converter =
      gst_video_converter_new(&from.get()->info, &to.get()->info,
                              gst_structure_new("options", GST_VIDEO_CONVERTER_OPT_DITHER_METHOD,
                                                GST_TYPE_VIDEO_DITHER_METHOD, GST_VIDEO_DITHER_NONE, nullptr));
  ASSERT_NE(converter, nullptr);
  gst_video_converter_frame(converter, from.get(), to.get());
  gst_video_converter_free(converter);
}

std::uint32_t premultiplied(unsigned a, unsigned r, unsigned g, unsigned b) {
  return a << 24 | (r * a / 255) << 16 | (g * a / 255) << 8 | b * a / 255;
}

// Blocks of colours, each in six degrees of opacity.
Image blocks() {
  constexpr std::array<std::array<unsigned, 3>, 3> colours{{{255, 255, 255}, {230, 40, 30}, {20, 90, 240}}};
  Image image(6 * kBlock, 3 * kBlock);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const auto& [r, g, b] = colours[static_cast<std::size_t>(y / kBlock)];
      image.row(y)[x] = premultiplied(static_cast<unsigned>(x / kBlock * 51), r, g, b);
    }
  }
  return image;
}

void fill(Frame& frame, std::uint32_t pixel) {
  for (int y = 0; y < GST_VIDEO_FRAME_HEIGHT(frame.get()); ++y) {
    std::fill_n(frame.row(y), GST_VIDEO_FRAME_WIDTH(frame.get()), pixel);
  }
}

// The result of blending `image` over an opaque frame.
void lay_over(Frame& frame, const Image& image, int x, int y) {
  for (int dy = 0; dy < image.height; ++dy) {
    for (int dx = 0; dx < image.width; ++dx) {
      const std::uint32_t above = image.row(dy)[dx];
      std::uint32_t& pixel = frame.row(y + dy)[x + dx];
      std::uint32_t out = 0xff000000;
      for (const unsigned shift : {0U, 8U, 16U}) {
        const std::uint32_t under = pixel >> shift & 255;
        out |= std::min(255U, (above >> shift & 255) + (under * (255 - overlay::alpha_of(above)) + 127) / 255) << shift;
      }
      pixel = out;
    }
  }
}

// The largest difference between two BGRA frames at the centre of each block: at the edges, every method of chroma
// subsampling gives another picture.
int difference(Frame& a, Frame& b) {
  int most = 0;
  for (int y = kBlock / 2; y < kHeight; y += kBlock) {
    for (int x = kBlock / 2; x < kWidth; x += kBlock) {
      for (const unsigned shift : {0U, 8U, 16U}) {
        most = std::max(most, std::abs(static_cast<int>(a.row(y)[x] >> shift & 255) -
                                       static_cast<int>(b.row(y)[x] >> shift & 255)));
      }
    }
  }
  return most;
}

// Blends the blocks into a frame of `info`; returns the difference to GStreamer's result.
int blend_error(const GstVideoInfo& info) {
  const GstVideoInfo rgb = info_of(GST_VIDEO_FORMAT_BGRA);
  const Image image = blocks();
  Frame ground(rgb), expected(rgb), actual(info), wanted(info), a(rgb), b(rgb);
  fill(ground, 0xff5a8c3c);
  fill(expected, 0xff5a8c3c);
  lay_over(expected, image, kBlock, kBlock);
  convert(ground, actual);
  const auto sprite = overlay::make_sprite(image, info);
  if (!sprite) return -1;
  sprite->blend(*actual.get(), kBlock, kBlock);
  convert(actual, a);
  convert(expected, wanted);
  convert(wanted, b);
  return difference(a, b);
}

std::vector<GstVideoFormat> all_formats() {
  std::vector<GstVideoFormat> all;
  guint count = 0;
  const GstVideoFormat* formats = gst_video_formats_raw(&count);
  for (guint i = 0; i < count; ++i) all.push_back(formats[i]);
  return all;
}

bool is_coarse(const GstVideoFormatInfo& f) {
  return f.depth[0] < 8;
}

TEST(OverlayBlend, BlendsIntoEveryFormatAsGStreamerWould) {
  int tried = 0;
  for (const GstVideoFormat format : all_formats()) {
    const GstVideoInfo info = info_of(format);
    // A format that GStreamer only reads cannot be converted to either.
    if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE(info.finfo) || !info.finfo->pack_func) continue;
    const int error = blend_error(info);
    EXPECT_NE(error, -1) << info.finfo->name << " cannot be drawn into";
    // One step of the format, and of the conversions to it and back.
    EXPECT_LE(error, is_coarse(*info.finfo) ? 9 : 4) << info.finfo->name;
    ++tried;
  }
  EXPECT_GT(tried, 80);
}

TEST(OverlayBlend, NeedsNoUnpackingForTheFormatsInUse) {
  const Image image(8, 8);
  for (const GstVideoFormat format :
       {GST_VIDEO_FORMAT_NV12,     GST_VIDEO_FORMAT_NV21, GST_VIDEO_FORMAT_I420,  GST_VIDEO_FORMAT_YV12,
        GST_VIDEO_FORMAT_Y42B,     GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_RGB,
        GST_VIDEO_FORMAT_BGR,      GST_VIDEO_FORMAT_RGBx, GST_VIDEO_FORMAT_BGRx,  GST_VIDEO_FORMAT_xRGB,
        GST_VIDEO_FORMAT_xBGR,     GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRA,  GST_VIDEO_FORMAT_ARGB,
        GST_VIDEO_FORMAT_ABGR,     GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_UYVY,  GST_VIDEO_FORMAT_P010_10LE,
        GST_VIDEO_FORMAT_I420_10LE}) {
    EXPECT_NE(overlay::make_sample_sprite(image, info_of(format)), nullptr) << gst_video_format_to_string(format);
  }
}

TEST(OverlayBlend, RefusesAPalette) {
  EXPECT_EQ(overlay::make_sprite(Image(8, 8), info_of(GST_VIDEO_FORMAT_RGB8P)), nullptr);
}

TEST(OverlayBlend, FollowsTheColorimetryOfTheFrame) {
  for (const char* colorimetry : {GST_VIDEO_COLORIMETRY_BT601, GST_VIDEO_COLORIMETRY_BT709,
                                  GST_VIDEO_COLORIMETRY_SMPTE240M, "1:4:0:0", "1:3:5:1", "2:3:5:1", "2:6:5:7"}) {
    for (const GstVideoFormat format :
         {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_GRAY8}) {
      EXPECT_LE(blend_error(info_of(format, kWidth, kHeight, colorimetry)), 4)
          << colorimetry << " " << gst_video_format_to_string(format);
    }
  }
}

TEST(OverlayBlend, DrawsWhiteAtTheLevelOfGraphicsInHdr) {
  Image white(8, 8);
  std::fill(white.pixels.begin(), white.pixels.end(), 0xffffffff);
  const auto level = [&](const char* colorimetry) {
    const GstVideoInfo info = info_of(GST_VIDEO_FORMAT_I420_10LE, 16, 16, colorimetry);
    Frame frame(info);
    overlay::make_sprite(white, info)->blend(*frame.get(), 0, 0);
    std::uint16_t luma;
    std::memcpy(&luma, frame.plane(0), 2);
    return (luma - 64) / 876.0;
  };
  EXPECT_NEAR(level("bt2100-pq"), 0.58, 0.01);
  EXPECT_NEAR(level("bt2100-hlg"), 0.75, 0.01);
  EXPECT_NEAR(level("bt709"), 1, 0.01);
}

TEST(OverlayBlend, WeightsTheColoursOfATranslucentFrame) {
  const GstVideoInfo info = info_of(GST_VIDEO_FORMAT_BGRA, 8, 8);
  Image half(8, 8);
  std::fill(half.pixels.begin(), half.pixels.end(), premultiplied(128, 255, 255, 255));
  struct Case {
    std::uint32_t under, result;
  };
  for (const Case& c : {Case{0x00ff0000, 0x80ffffff}, Case{0x80000000, 0xc0aaaaaa}, Case{0xff000000, 0xff808080}}) {
    Frame frame(info);
    fill(frame, c.under);
    overlay::make_sprite(half, info)->blend(*frame.get(), 0, 0);
    for (const unsigned shift : {0U, 8U, 16U, 24U}) {
      EXPECT_NEAR(static_cast<int>(frame.row(3)[3] >> shift & 255), static_cast<int>(c.result >> shift & 255), 2)
          << std::hex << c.under;
    }
  }
}

// The samples of a plane that belong to the picture: everything else is padding.
void expect_padding_kept(Frame& frame, std::uint8_t mark) {
  const GstVideoInfo& info = frame.get()->info;
  for (unsigned p = 0; p < GST_VIDEO_INFO_N_PLANES(&info); ++p) {
    int used = 0, rows = 0;
    for (unsigned c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(&info); ++c) {
      if (GST_VIDEO_INFO_COMP_PLANE(&info, c) != p) continue;
      const int bytes = GST_VIDEO_INFO_COMP_DEPTH(&info, c) > 8 ? 2 : 1;
      // In whole samples: the description of P010 has V one byte after U.
      const int start = GST_ROUND_UP_N(static_cast<int>(GST_VIDEO_INFO_COMP_POFFSET(&info, c)), bytes);
      const int last = (GST_VIDEO_INFO_COMP_WIDTH(&info, c) - 1) * GST_VIDEO_INFO_COMP_PSTRIDE(&info, c);
      used = std::max(used, last + start + bytes);
      rows = std::max(rows, GST_VIDEO_INFO_COMP_HEIGHT(&info, c));
    }
    for (int y = 0; y < rows; ++y) {
      for (int x = used; x < frame.stride(p); ++x) {
        ASSERT_EQ(frame.plane(p)[y * frame.stride(p) + x], mark)
            << info.finfo->name << " " << p << ": " << x << "," << y;
      }
    }
  }
}

TEST(OverlayBlend, DoesNotChangePaddingInFramesOfOddSizes) {
  constexpr std::uint8_t kMark = 0xab;
  Image white(64, 64);
  std::fill(white.pixels.begin(), white.pixels.end(), 0xffffffff);
  for (const GstVideoFormat format :
       {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_NV21, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YV12,
        GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_RGB,
        GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_Y41B, GST_VIDEO_FORMAT_YUV9,
        GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_I420_10LE}) {
    for (const int width : {33, 34, 35, 37}) {
      GstVideoInfo info = info_of(format, width, 31);
      GstVideoAlignment align;
      gst_video_alignment_reset(&align);
      align.padding_right = 24, align.padding_bottom = 8;
      gst_video_info_align(&info, &align);
      Frame frame(info);
      for (unsigned p = 0; p < GST_VIDEO_INFO_N_PLANES(&info); ++p) {
        const int rows = GST_VIDEO_INFO_COMP_HEIGHT(&info, p == 0 ? 0 : 1);
        std::memset(frame.plane(p), kMark, static_cast<std::size_t>(frame.stride(p) * rows));
      }
      overlay::make_sprite(white, info)->blend(*frame.get(), 8, 8);
      expect_padding_kept(frame, kMark);
      const std::uint8_t untouched = frame.plane(0)[0];
      EXPECT_EQ(untouched, kMark) << "what is not under the picture";
    }
  }
}

TEST(OverlayBlend, ClipsAtTheEdgesOfTheFrame) {
  for (const GstVideoFormat format : {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_RGB16, GST_VIDEO_FORMAT_v210}) {
    const GstVideoInfo info = info_of(format, 17, 9);
    Frame frame(info);
    overlay::make_sprite(blocks(), info)->blend(*frame.get(), 12, 8);
    overlay::make_sprite(blocks(), info)->blend(*frame.get(), 20, 0);
    overlay::make_sprite(blocks(), info)->blend(*frame.get(), 0, 12);
  }
}

}  // namespace
}  // namespace bcp::test
