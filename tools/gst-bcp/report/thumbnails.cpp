// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/report/thumbnails.hpp"

#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <opencv2/core/mat.hpp>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <utility>

namespace bcp::cli::report {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kQuality = 72, kAcross = 10;
constexpr auto kPatience = std::chrono::seconds(60);
constexpr GstClockTime kPatienceForOne = 10 * GST_SECOND;

struct Release {
  void operator()(GstElement* pipeline) const {
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
  }
  void operator()(GstAppSink* sink) const { gst_object_unref(sink); }
  void operator()(GstBus* bus) const { gst_object_unref(bus); }
  void operator()(GstSample* sample) const { gst_sample_unref(sample); }
  void operator()(GstMessage* message) const { gst_message_unref(message); }
  void operator()(GError* error) const { g_error_free(error); }
  void operator()(gchar* text) const { g_free(text); }
};
template <typename T>
using Owned = std::unique_ptr<T, Release>;

Error unreadable(const std::string& video, const std::string& reason) {
  return Error{ErrorCode::kInvalid, "there are no thumbnails of " + video + ": " + reason};
}

struct Thumbnail {
  double time = 0;
  cv::Mat pixels;  // blue, green, red
};

// A paused video, for seeking to single frames.
class Viewer {
 public:
  static Result<Viewer> open(const std::string& video) {
    gst_init(nullptr, nullptr);
    std::error_code ignored;
    const bool is_file = std::filesystem::exists(video, ignored);
    if (!is_file && !gst_uri_is_valid(video.c_str()))
      return unreadable(video, "it does not exist; check the path, or leave out --video");
    GError* error = nullptr;
    const Owned<gchar> uri(is_file ? gst_filename_to_uri(video.c_str(), &error) : g_strdup(video.c_str()));
    if (!uri) return unreadable(video, Owned<GError>(error)->message);
    // The first video stream, upright, in square pixels; the height follows from the width.
    Owned<GstElement> pipeline(gst_parse_launch(
        "uridecodebin name=source ! videoconvert ! "
        "videoflip video-direction=auto ! videoscale ! video/x-raw,format=BGR,width=192,pixel-aspect-ratio=1/1 ! "
        "appsink name=sink sync=false",
        &error));
    if (error) return unreadable(video, Owned<GError>(error)->message);
    Viewer viewer(std::move(pipeline));
    GstElement* source = gst_bin_get_by_name(GST_BIN(viewer.pipeline_.get()), "source");
    g_object_set(source, "uri", uri.get(), nullptr);
    gst_object_unref(source);
    if (const Status paused = viewer.pause(); !paused) return unreadable(video, paused.error().message);
    return viewer;
  }

  // The frame visible at `time`; unset if the video has none.
  std::optional<Thumbnail> at(double time, bool exactly) {
    const auto position = static_cast<gint64>(std::max(time, 0.0) * static_cast<double>(GST_SECOND));
    const auto how = exactly ? GST_SEEK_FLAG_ACCURATE : GST_SEEK_FLAG_KEY_UNIT;
    if (!gst_element_seek_simple(pipeline_.get(), GST_FORMAT_TIME, static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | how),
                                 position))
      return std::nullopt;
    const Owned<GstSample> sample(gst_app_sink_try_pull_preroll(sink_.get(), kPatienceForOne));
    return sample ? taken_from(*sample) : std::nullopt;
  }

 private:
  explicit Viewer(Owned<GstElement> pipeline)
      : pipeline_(std::move(pipeline)),
        sink_(GST_APP_SINK(gst_bin_get_by_name(GST_BIN(pipeline_.get()), "sink"))),
        bus_(gst_element_get_bus(pipeline_.get())) {}

  // The message of an error is only the reason.
  Status pause() {
    const auto failed = [](std::string reason) { return Error{ErrorCode::kInvalid, std::move(reason)}; };
    if (gst_element_set_state(pipeline_.get(), GST_STATE_PAUSED) == GST_STATE_CHANGE_NO_PREROLL)
      return failed("it is live and cannot be read again; give a recording");
    const auto awaited = static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_ASYNC_DONE | GST_MESSAGE_EOS);
    const Owned<GstMessage> message(gst_bus_timed_pop_filtered(bus_.get(), kPatienceForOne, awaited));
    if (!message || GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_EOS)
      return failed("it delivers no picture; give a video");
    if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_ASYNC_DONE) return ok();
    GError* error = nullptr;
    gst_message_parse_error(message.get(), &error, nullptr);
    return failed(std::string(Owned<GError>(error)->message) + " (gst-discoverer-1.0 shows the contents of a file)");
  }

  static std::optional<Thumbnail> taken_from(GstSample& sample) {
    GstBuffer* buffer = gst_sample_get_buffer(&sample);
    GstVideoInfo info;
    GstVideoFrame frame;
    if (!buffer || !GST_BUFFER_PTS_IS_VALID(buffer) || !gst_video_info_from_caps(&info, gst_sample_get_caps(&sample)) ||
        !gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ))
      return std::nullopt;
    Thumbnail thumbnail;
    const guint64 time =
        gst_segment_to_stream_time(gst_sample_get_segment(&sample), GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
    thumbnail.time = static_cast<double>(GST_CLOCK_TIME_IS_VALID(time) ? time : 0) / static_cast<double>(GST_SECOND);
    thumbnail.pixels = cv::Mat(info.height, info.width, CV_8UC3, GST_VIDEO_FRAME_PLANE_DATA(&frame, 0),
                               static_cast<std::size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0)))
                           .clone();
    gst_video_frame_unmap(&frame);
    return thumbnail;
  }

  Owned<GstElement> pipeline_;
  Owned<GstAppSink> sink_;
  Owned<GstBus> bus_;
};

// A frame of another size than the first (the caps may change) is cropped to its size, or gets a black border.
ThumbnailSheet put_together(const std::vector<Thumbnail>& thumbnails) {
  ThumbnailSheet sheet;
  const int count = static_cast<int>(thumbnails.size());
  sheet.width = thumbnails.front().pixels.cols;
  sheet.height = thumbnails.front().pixels.rows;
  sheet.across = std::min(kAcross, count);
  const int down = (count + sheet.across - 1) / sheet.across;
  cv::Mat all(down * sheet.height, sheet.across * sheet.width, CV_8UC3, cv::Scalar(0, 0, 0));
  for (int i = 0; i < count; ++i) {
    const Thumbnail& thumbnail = thumbnails[static_cast<std::size_t>(i)];
    const cv::Rect part(0, 0, std::min(sheet.width, thumbnail.pixels.cols),
                        std::min(sheet.height, thumbnail.pixels.rows));
    const cv::Point place(i % sheet.across * sheet.width, i / sheet.across * sheet.height);
    thumbnail.pixels(part).copyTo(all(part + place));
    sheet.times.push_back(thumbnail.time);
  }
  std::vector<unsigned char> jpeg;
  cv::imencode(".jpg", all, jpeg, {cv::IMWRITE_JPEG_QUALITY, kQuality});
  sheet.jpeg.assign(jpeg.begin(), jpeg.end());
  return sheet;
}

}  // namespace

Result<ThumbnailSheet> make_thumbnails(const std::string& video, std::vector<double> times,
                                       const std::stop_token& stop) {
  Result<Viewer> viewer = Viewer::open(video);
  if (!viewer) return viewer.error();
  std::sort(times.begin(), times.end());
  std::vector<Thumbnail> thumbnails;
  const auto start = Clock::now();
  for (const double time : times) {
    const auto spent = Clock::now() - start;
    if (spent > kPatience || stop.stop_requested()) break;
    // An exact frame may need much decoding; if that takes long, the nearest key frame is used.
    const std::optional<Thumbnail> next = viewer->at(time, spent < kPatience / 2);
    if (next && (thumbnails.empty() || next->time > thumbnails.back().time)) thumbnails.push_back(*next);
  }
  if (thumbnails.empty())
    return unreadable(video, "it has no frame at the times of the results; give the video of the results");
  return put_together(thumbnails);
}

}  // namespace bcp::cli::report
