// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/pipeline/jpeg.hpp"

#include <gst/video/video.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <vector>

#include "support/mapped_frame.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {
namespace {

struct FreeConverter {
  void operator()(GstVideoConverter* converter) const { gst_video_converter_free(converter); }
};

Error cannot(const char* what) {
  return Error{ErrorCode::kRuntime, std::string("a frame cannot be made a JPEG picture: ") + what};
}

// The size to encode: square pixels, at most `longest` on the longer side.
cv::Size size_of(const GstVideoInfo& info, int longest) {
  const double width = double(info.width) * std::max(info.par_n, 1) / std::max(info.par_d, 1);
  const double scale = std::min(1.0, longest / std::max(width, double(info.height)));
  return {std::max(1, int(std::lround(width * scale))), std::max(1, int(std::lround(info.height * scale)))};
}

// A frame that is written while it is mapped.
class Target {
 public:
  Target(GstBuffer* buffer, const GstVideoInfo& info)
      : is_mapped_(gst_video_frame_map(&frame_, &info, buffer, GST_MAP_WRITE)) {}
  ~Target() {
    if (is_mapped_) gst_video_frame_unmap(&frame_);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  // Null when it could not be mapped.
  GstVideoFrame* get() { return is_mapped_ ? &frame_ : nullptr; }

 private:
  GstVideoFrame frame_{};
  bool is_mapped_;
};

// Null when there is no such conversion, or the memory cannot be read.
gst::BufferPtr converted(GstBuffer* buffer, const GstVideoInfo& from, const GstVideoInfo& into) {
  gst::BufferPtr made(gst_buffer_new_allocate(nullptr, into.size, nullptr));
  std::optional<gst::MappedFrame> source = gst::MappedFrame::read(buffer, from);
  Target target(made.get(), into);
  if (!source || !target.get()) return nullptr;
  const std::unique_ptr<GstVideoConverter, FreeConverter> converter(gst_video_converter_new(
      &from, &into,
      gst_structure_new("options", GST_VIDEO_CONVERTER_OPT_RESAMPLER_METHOD, GST_TYPE_VIDEO_RESAMPLER_METHOD,
                        GST_VIDEO_RESAMPLER_METHOD_LINEAR, nullptr)));
  if (!converter) return nullptr;
  gst_video_converter_frame(converter.get(), source->get(), target.get());
  return made;
}

// `from` in another format and size.
bool describe(GstVideoInfo& made, const GstVideoInfo& from, GstVideoFormat format, cv::Size size) {
  if (!gst_video_info_set_format(&made, format, guint(size.width), guint(size.height))) return false;
  made.fps_n = from.fps_n;  // the converter insists
  made.fps_d = from.fps_d;
  if (format == GST_VIDEO_INFO_FORMAT(&from)) made.colorimetry = from.colorimetry, made.chroma_site = from.chroma_site;
  return true;
}

}  // namespace

Result<std::string> encode_jpeg(GstSample* frame, const JpegShape& shape) {
  GstVideoInfo from;
  GstCaps* caps = gst_sample_get_caps(frame);
  GstBuffer* buffer = gst_sample_get_buffer(frame);
  if (!caps || !buffer || !gst_video_info_from_caps(&from, caps) ||
      GST_VIDEO_INFO_FORMAT(&from) == GST_VIDEO_FORMAT_ENCODED)
    return cannot("it is not raw video");
  // Lines of both fields are scaled together: the converter refuses to make a progressive picture of fields.
  from.interlace_mode = GST_VIDEO_INTERLACE_MODE_PROGRESSIVE;
  const cv::Size size = size_of(from, shape.longest_side);

  // Scaling a large frame in its own format and then converting takes a quarter of the time that both at once take: the
  // converter has fast paths for each, none for both, and none to formats of three bytes a pixel.
  GstVideoInfo small, pixels;
  if (!describe(small, from, GST_VIDEO_INFO_FORMAT(&from), size) ||
      !describe(pixels, from, GST_VIDEO_FORMAT_BGRx, size))
    return cannot("its size is not possible");
  gst::BufferPtr scaled(gst_buffer_ref(buffer));
  if (size != cv::Size(from.width, from.height))
    scaled = converted(buffer, from, small);
  else
    small = from;
  const gst::BufferPtr picture = scaled ? converted(scaled.get(), small, pixels) : nullptr;
  if (!picture) return cannot("its memory cannot be read, or its format cannot be converted");

  const std::optional<gst::MappedFrame> mapped = gst::MappedFrame::read(picture.get(), pixels);
  if (!mapped) return cannot("its memory cannot be read");
  const cv::Mat image(size, CV_8UC4, GST_VIDEO_FRAME_PLANE_DATA(&**mapped, 0),
                      std::size_t(GST_VIDEO_FRAME_PLANE_STRIDE(&**mapped, 0)));
  std::vector<unsigned char> bytes;
  if (!cv::imencode(".jpg", image, bytes, {cv::IMWRITE_JPEG_QUALITY, shape.quality}))
    return cannot("OpenCV has no JPEG encoder");
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace bcp::cli::run
