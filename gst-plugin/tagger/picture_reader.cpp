// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/picture_reader.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace bcp::tagger {
namespace {

// The layout with which the core reads these pixels without conversion; nullopt if it cannot. Derived from GStreamer's
// description of the format, so that similar and future formats need no list.
std::optional<image::Layout> direct_layout(const GstVideoInfo& info) {
  const GstVideoFormatInfo& format = *info.finfo;
  constexpr guint kNotByPixel =
      GST_VIDEO_FORMAT_FLAG_COMPLEX | GST_VIDEO_FORMAT_FLAG_PALETTE | GST_VIDEO_FORMAT_FLAG_TILED;
  if ((static_cast<guint>(format.flags) & kNotByPixel) != 0) return std::nullopt;
  const bool gray = GST_VIDEO_FORMAT_INFO_IS_GRAY(&format);
  for (guint c = 0; c < (gray ? 1U : 3U); ++c) {
    if (format.depth[c] != 8 || format.shift[c] != 0 || format.pixel_stride[c] < 1) return std::nullopt;
  }
  if (gray) return format.pixel_stride[0] == 1 ? std::optional(image::Layout::kGray) : std::nullopt;
  if (GST_VIDEO_FORMAT_INFO_IS_RGB(&format)) {
    const bool packed = format.n_planes == 1 && (format.pixel_stride[0] == 3 || format.pixel_stride[0] == 4);
    return packed ? std::optional(image::Layout::kPacked) : std::nullopt;
  }
  const bool alike = format.pixel_stride[1] == format.pixel_stride[2] && format.w_sub[1] == format.w_sub[2] &&
                     format.h_sub[1] == format.h_sub[2];
  const bool at_most_halved = format.w_sub[1] <= 1 && format.h_sub[1] <= 1;
  const bool yuv = GST_VIDEO_FORMAT_INFO_IS_YUV(&format);
  return yuv && alike && at_most_halved ? std::optional(image::Layout::kYuv) : std::nullopt;
}

image::YuvColor color_of(const GstVideoInfo& info) {
  image::YuvColor color;
  // Unknown or invalid matrix: use the television standard for that size.
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

// The visible part of the frame.
struct Window {
  int x, y, width, height;
};

struct Range {
  int start, length;
};

// A crop along one axis of the frame. With subsampled chroma (shift 1) an odd start is moved to the even one before it.
Range cropped(guint start, guint length, int side, guint shift) {
  const guint first = std::min(start, static_cast<guint>(side));
  const guint end = first + std::min(length, static_cast<guint>(side) - first);
  const guint aligned = first >> shift << shift;
  return {static_cast<int>(aligned), static_cast<int>(end - aligned)};
}

// The GstVideoCropMeta, in pixels of the frame. Without one, the size of the caps: a GstVideoMeta may describe more.
Window window_of(GstBuffer* buffer, const GstVideoInfo& caps, const GstVideoFrame& frame) {
  const GstVideoCropMeta* crop = gst_buffer_get_video_crop_meta(buffer);
  if (!crop) return {0, 0, caps.width, caps.height};
  const GstVideoFormatInfo* format = frame.info.finfo;
  const Range x = cropped(crop->x, crop->width, frame.info.width, GST_VIDEO_FORMAT_INFO_W_SUB(format, 1));
  const Range y = cropped(crop->y, crop->height, frame.info.height, GST_VIDEO_FORMAT_INFO_H_SUB(format, 1));
  return {x.start, y.start, x.length, y.length};
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
    for (guint c = 0; c < 3; ++c) {
      format.rgb_offset[c] = static_cast<int>(GST_VIDEO_INFO_COMP_POFFSET(&info, c));
    }
  } else if (layout == image::Layout::kYuv) {
    format.luma_step = GST_VIDEO_INFO_COMP_PSTRIDE(&info, 0);
    format.chroma_step = GST_VIDEO_INFO_COMP_PSTRIDE(&info, 1);
    format.chroma_shift_x = static_cast<int>(GST_VIDEO_FORMAT_INFO_W_SUB(info.finfo, 1));
    format.chroma_shift_y = static_cast<int>(GST_VIDEO_FORMAT_INFO_H_SUB(info.finfo, 1));
  }
  return format;
}

image::Picture picture_of(const GstVideoFrame& frame, image::Layout layout, const Window& window) {
  image::Picture picture;
  if (layout != image::Layout::kYuv) {
    picture.stride[0] = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
    picture.plane[0] = static_cast<const std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                       window.y * picture.stride[0] + window.x * GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, 0);
    return picture;
  }
  const GstVideoFormatInfo* format = frame.info.finfo;
  for (guint c = 0; c < 3; ++c) {
    const int x = window.x >> GST_VIDEO_FORMAT_INFO_W_SUB(format, c);
    const int y = window.y >> GST_VIDEO_FORMAT_INFO_H_SUB(format, c);
    picture.stride[c] = GST_VIDEO_FRAME_COMP_STRIDE(&frame, c);
    picture.plane[c] = static_cast<const std::uint8_t*>(GST_VIDEO_FRAME_COMP_DATA(&frame, c)) + y * picture.stride[c] +
                       x * GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, c);
  }
  if (format->format == GST_VIDEO_FORMAT_VYUY) {  // GStreamer 1.22 describes it as UYVY, but converts it correctly
    picture.plane[1] = picture.plane[0] + 1;
    picture.plane[2] = picture.plane[0] - 1;
  }
  return picture;
}

// The error text for a frame that cannot be mapped.
std::string unreadable(GstBuffer* buffer, const GstVideoInfo& info) {
  const GstMemory* memory = gst_buffer_n_memory(buffer) > 0 ? gst_buffer_peek_memory(buffer, 0) : nullptr;
  const char* kind = memory && memory->allocator ? memory->allocator->mem_type : nullptr;
  const std::string size = std::to_string(info.width) + "x" + std::to_string(info.height) + " " +
                           gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&info));
  if (kind && g_strcmp0(kind, GST_ALLOCATOR_SYSMEM) != 0) {
    return "cannot read a frame of " + size + ": its memory of type " + kind +
           " cannot be mapped; add an element that copies frames to system memory before bcptagger (gldownload, "
           "cudadownload, vapostproc ! video/x-raw)";
  }
  return "cannot read a frame of " + std::to_string(gst_buffer_get_size(buffer)) + " bytes as " + size +
         ": the upstream element sends fewer bytes than its caps require";
}

}  // namespace

PictureReader::Conversion::Conversion(const GstVideoInfo& from) {
  GstVideoInfo rgb;
  gst_video_info_set_format(&rgb, GST_VIDEO_FORMAT_RGBx, static_cast<guint>(from.width),
                            static_cast<guint>(from.height));
  rgb.par_n = from.par_n;
  rgb.par_d = from.par_d;
  rgb.fps_n = from.fps_n;
  rgb.fps_d = from.fps_d;
  rgb.interlace_mode = from.interlace_mode;
  buffer.reset(gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&rgb), nullptr));
  if (!buffer) return;
  mapped = gst_video_frame_map(&frame, &rgb, buffer.get(), GST_MAP_READWRITE);
  // Dithering would add noise that changes from frame to frame, and only the model sees this picture.
  GstStructure* options = gst_structure_new("options", GST_VIDEO_CONVERTER_OPT_DITHER_METHOD,
                                            GST_TYPE_VIDEO_DITHER_METHOD, GST_VIDEO_DITHER_NONE, nullptr);
  converter = gst_video_converter_new(&from, &rgb, options);
}

PictureReader::Conversion::~Conversion() {
  if (converter) gst_video_converter_free(converter);
  if (mapped) gst_video_frame_unmap(&frame);
}

Result<PictureReader> PictureReader::make(const GstVideoInfo& info, const image::Orientation& orientation) {
  PictureReader reader(info, orientation);
  if (direct_layout(info)) return reader;
  if (Status prepared = reader.prepare_conversion(info); !prepared) return prepared.error();
  return reader;
}

Status PictureReader::prepare_conversion(const GstVideoInfo& from) {
  if (conversion_ && conversion_->frame.info.width == from.width && conversion_->frame.info.height == from.height) {
    return ok();
  }
  auto conversion = std::make_unique<Conversion>(from);
  if (!conversion->ok()) {
    return Error{ErrorCode::kUnsupported, std::string("GStreamer cannot convert ") +
                                              gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&from)) +
                                              " to RGB; add a videoconvert with a supported format before bcptagger"};
  }
  conversion_ = std::move(conversion);
  return ok();
}

Result<PictureReader::Reading> PictureReader::read(GstBuffer* buffer) {
  std::optional<gst::MappedFrame> mapped = gst::MappedFrame::read(buffer, info_);
  if (!mapped) {
    return Error{ErrorCode::kRuntime, unreadable(buffer, info_)};
  }
  const GstVideoFrame* frame = mapped->get();
  if (conversion_) {
    if (Status prepared = prepare_conversion(frame->info); !prepared) return prepared.error();
    gst_video_converter_frame(conversion_->converter, mapped->get(), &conversion_->frame);
    frame = &conversion_->frame;
  }
  const image::Layout layout = conversion_ ? image::Layout::kPacked : *direct_layout(info_);
  const Window window = window_of(buffer, info_, *frame);
  Reading reading{format_of(frame->info, layout, window), picture_of(*frame, layout, window), window.x, window.y,
                  *std::move(mapped)};
  reading.format.orientation = orientation_;
  return reading;
}

}  // namespace bcp::tagger
