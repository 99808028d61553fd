// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/picture_reader.hpp"

#include <algorithm>
#include <string>

namespace bcp::gst {
namespace {

std::optional<image::Layout> direct_layout(const GstVideoInfo& info) {
  switch (GST_VIDEO_INFO_FORMAT(&info)) {
    case GST_VIDEO_FORMAT_NV12:
    case GST_VIDEO_FORMAT_I420:
    case GST_VIDEO_FORMAT_NV21:
    case GST_VIDEO_FORMAT_YV12:
      return image::Layout::kYuv420;
    case GST_VIDEO_FORMAT_GRAY8:
      return image::Layout::kGray;
    case GST_VIDEO_FORMAT_RGB:
    case GST_VIDEO_FORMAT_BGR:
    case GST_VIDEO_FORMAT_RGBx:
    case GST_VIDEO_FORMAT_BGRx:
    case GST_VIDEO_FORMAT_xRGB:
    case GST_VIDEO_FORMAT_xBGR:
    case GST_VIDEO_FORMAT_RGBA:
    case GST_VIDEO_FORMAT_BGRA:
    case GST_VIDEO_FORMAT_ARGB:
    case GST_VIDEO_FORMAT_ABGR:
      return image::Layout::kPacked;
    default:
      return std::nullopt;
  }
}

image::YuvColor color_of(const GstVideoInfo& info) {
  image::YuvColor color;
  // Unknown or nonsensical matrices: what television of that size uses.
  if (!gst_video_color_matrix_get_Kr_Kb(info.colorimetry.matrix, &color.kr, &color.kb)) {
    gst_video_color_matrix_get_Kr_Kb(info.height >= 720 ? GST_VIDEO_COLOR_MATRIX_BT709 : GST_VIDEO_COLOR_MATRIX_BT601,
                                     &color.kr, &color.kb);
  }
  color.full_range = info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
  if (info.chroma_site != GST_VIDEO_CHROMA_SITE_UNKNOWN) {
    color.cosited_x = (info.chroma_site & GST_VIDEO_CHROMA_SITE_H_COSITED) != 0;
    color.cosited_y = (info.chroma_site & GST_VIDEO_CHROMA_SITE_V_COSITED) != 0;
  }
  return color;
}

// What part of the frame is to be seen. GStreamer's crop is in pixels of the frame; on halved chroma only even offsets
// exist, so it is widened to the left and top by the odd pixel.
struct Window {
  int x, y, width, height;
};

Window window_of(GstBuffer* buffer, const GstVideoFrame& frame) {
  const int width = GST_VIDEO_FRAME_WIDTH(&frame), height = GST_VIDEO_FRAME_HEIGHT(&frame);
  const GstVideoCropMeta* crop = gst_buffer_get_video_crop_meta(buffer);
  if (!crop) return {0, 0, width, height};
  const int x = static_cast<int>(std::min<guint>(crop->x, static_cast<guint>(width))) & ~1;
  const int y = static_cast<int>(std::min<guint>(crop->y, static_cast<guint>(height))) & ~1;
  return {x, y, static_cast<int>(std::min<guint>(crop->width, static_cast<guint>(width - x))),
          static_cast<int>(std::min<guint>(crop->height, static_cast<guint>(height - y)))};
}

image::PictureFormat format_of(const GstVideoInfo& info, image::Layout layout, const Window& window) {
  image::PictureFormat format;
  format.layout = layout;
  format.width = window.width;
  format.height = window.height;
  format.pixel_aspect =
      info.par_n > 0 && info.par_d > 0 ? static_cast<double>(info.par_n) / static_cast<double>(info.par_d) : 1.0;
  format.color = color_of(info);
  if (layout == image::Layout::kPacked) {
    format.pixel_step = GST_VIDEO_INFO_COMP_PSTRIDE(&info, 0);
    for (guint c = 0; c < 3; ++c) format.rgb_offset[c] = GST_VIDEO_INFO_COMP_POFFSET(&info, c);
  } else if (layout == image::Layout::kYuv420) {
    format.chroma_step = GST_VIDEO_INFO_COMP_PSTRIDE(&info, 1);
  }
  return format;
}

image::Picture picture_of(const GstVideoFrame& frame, image::Layout layout, const Window& window) {
  image::Picture picture;
  if (layout != image::Layout::kYuv420) {
    picture.stride[0] = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
    picture.plane[0] = static_cast<const std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                       window.y * picture.stride[0] + window.x * GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, 0);
    return picture;
  }
  for (guint c = 0; c < 3; ++c) {
    const int half = c == 0 ? 1 : 2;
    picture.stride[c] = GST_VIDEO_FRAME_COMP_STRIDE(&frame, c);
    picture.plane[c] = static_cast<const std::uint8_t*>(GST_VIDEO_FRAME_COMP_DATA(&frame, c)) +
                       window.y / half * picture.stride[c] + window.x / half * GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, c);
  }
  return picture;
}

}  // namespace

PictureReader::Conversion::Conversion(const GstVideoInfo& from, const GstVideoInfo& to)
    : buffer(gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&to), nullptr)) {
  if (!buffer) return;
  mapped = gst_video_frame_map(&frame, &to, buffer.get(), GST_MAP_READWRITE);
  // Dither would add noise that changes from frame to frame; nobody looks at this picture.
  GstStructure* options = gst_structure_new("options", GST_VIDEO_CONVERTER_OPT_DITHER_METHOD,
                                            GST_TYPE_VIDEO_DITHER_METHOD, GST_VIDEO_DITHER_NONE, nullptr);
  converter = gst_video_converter_new(&from, &to, options);
}

PictureReader::Conversion::~Conversion() {
  if (converter) gst_video_converter_free(converter);
  if (mapped) gst_video_frame_unmap(&frame);
}

Result<PictureReader> PictureReader::make(const GstVideoInfo& info, const image::Orientation& orientation) {
  PictureReader reader(info, orientation);
  if (direct_layout(info)) return reader;
  GstVideoInfo rgb;
  gst_video_info_set_format(&rgb, GST_VIDEO_FORMAT_RGBx, static_cast<guint>(info.width),
                            static_cast<guint>(info.height));
  rgb.par_n = info.par_n;
  rgb.par_d = info.par_d;
  rgb.fps_n = info.fps_n;
  rgb.fps_d = info.fps_d;
  rgb.interlace_mode = info.interlace_mode;
  reader.conversion_ = std::make_unique<Conversion>(info, rgb);
  if (!reader.conversion_->ok()) {
    return Error{ErrorCode::kUnsupported,
                 std::string("GStreamer cannot convert ") + gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&info)) +
                     " to RGB: put a videoconvert with a format it knows in front of this element"};
  }
  return reader;
}

Result<PictureReader::Reading> PictureReader::read(GstBuffer* buffer) {
  std::optional<MappedFrame> mapped = MappedFrame::read(buffer, info_);
  if (!mapped) {
    return Error{ErrorCode::kRuntime, "a frame of " + std::to_string(gst_buffer_get_size(buffer)) +
                                          " bytes cannot be read as " + std::to_string(info_.width) + "x" +
                                          std::to_string(info_.height) + " " +
                                          gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&info_)) +
                                          ": the element in front of this one sends less than its caps promise"};
  }
  const Window window = window_of(buffer, **mapped);
  const GstVideoFrame* frame = mapped->get();
  if (conversion_) {
    gst_video_converter_frame(conversion_->converter, mapped->get(), &conversion_->frame);
    frame = &conversion_->frame;
  }
  const GstVideoInfo& info = frame->info;
  const image::Layout layout = conversion_ ? image::Layout::kPacked : *direct_layout(info_);
  Reading reading{format_of(info, layout, window), picture_of(*frame, layout, window), *std::move(mapped)};
  reading.format.orientation = orientation_;
  return reading;
}

}  // namespace bcp::gst
