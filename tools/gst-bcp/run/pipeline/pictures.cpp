// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/pipeline/pictures.hpp"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

#include <cstring>
#include <exception>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <utility>

#include "base/file.hpp"
#include "gst-bcp/common/picture_file.hpp"
#include "gst-bcp/run/plan/inputs.hpp"
#include "support/mapped_frame.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {
namespace {

constexpr const char* kUnreadable = "gst-bcp-unreadable-picture";

gst::SamplePtr sample_of(const PictureFile& file, std::size_t index) {
  const image::PictureFormat format = file.format();
  const image::Picture picture = file.picture();
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_BGR, static_cast<guint>(format.width),
                            static_cast<guint>(format.height));
  info.fps_n = 0, info.fps_d = 1;
  const gst::BufferPtr buffer(gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr));
  GstMapInfo map;
  if (!buffer || !gst_buffer_map(buffer.get(), &map, GST_MAP_WRITE)) return nullptr;
  for (int y = 0; y < format.height; ++y)
    std::memcpy(map.data + y * GST_VIDEO_INFO_PLANE_STRIDE(&info, 0), picture.plane[0] + y * picture.stride[0],
                static_cast<std::size_t>(format.width) * 3);
  gst_buffer_unmap(buffer.get(), &map);
  GST_BUFFER_PTS(buffer.get()) = index * GST_SECOND;
  GST_BUFFER_DURATION(buffer.get()) = GST_SECOND;
  const gst::CapsPtr caps(gst_video_info_to_caps(&info));
  return gst::SamplePtr(gst_sample_new(buffer.get(), caps.get(), nullptr, nullptr));
}

void feed(GstElement* appsrc, const std::vector<std::string>& files, const std::atomic<bool>& stop) {
  for (std::size_t i = 0; i < files.size() && !stop; ++i) {
    const Result<PictureFile> file = PictureFile::read(files[i]);
    if (!file) {
      gst_element_post_message(
          appsrc,
          gst_message_new_application(GST_OBJECT(appsrc), gst_structure_new(kUnreadable, "sentence", G_TYPE_STRING,
                                                                            file.error().message.c_str(), nullptr)));
      continue;
    }
    const gst::SamplePtr sample = sample_of(*file, i);
    if (!sample || gst_app_src_push_sample(GST_APP_SRC(appsrc), sample.get()) != GST_FLOW_OK) break;
  }
  gst_app_src_end_of_stream(GST_APP_SRC(appsrc));
}

// The pixels of a mapped BGR frame, not copied.
cv::Mat pixels_of(const GstVideoFrame& frame) {
  return cv::Mat(GST_VIDEO_FRAME_HEIGHT(&frame), GST_VIDEO_FRAME_WIDTH(&frame), CV_8UC3,
                 GST_VIDEO_FRAME_PLANE_DATA(&frame, 0),
                 static_cast<std::size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0)));
}

}  // namespace

Status write_picture(GstSample* sample, const std::string& path, const OutputFile::Rules& rules) try {
  Result<OutputFile> file = OutputFile::claim(path, rules);
  if (!file) return file.error();
  GstVideoInfo info;
  const bool is_video = gst_video_info_from_caps(&info, gst_sample_get_caps(sample));
  const auto frame = is_video ? gst::MappedFrame::read(gst_sample_get_buffer(sample), info) : std::nullopt;
  if (!frame) return Error{ErrorCode::kRuntime, path + " cannot be written: its pixels cannot be mapped"};
  std::vector<unsigned char> bytes;
  if (!cv::imencode(std::filesystem::path(path).extension().string(), pixels_of(**frame), bytes))
    return Error{ErrorCode::kUnsupported, path + " cannot be written: OpenCV cannot encode this kind"};
  const Status written =
      replace_file(file->part(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, Durability::kNone);
  return written ? file->commit() : written;
} catch (const std::exception& error) {
  return Error{ErrorCode::kRuntime, path + " cannot be written: " + error.what()};
}

std::size_t picture_index(GstClockTime pts) {
  return static_cast<std::size_t>(pts / GST_SECOND);
}

PictureFeeder::PictureFeeder(GstElement* appsrc, std::vector<std::string> files)
    : appsrc_(GST_ELEMENT(gst_object_ref(appsrc))),
      thread_([this, list = std::move(files)] { feed(appsrc_.get(), list, stop_); }) {}

PictureFeeder::~PictureFeeder() {
  stop_ = true;
  // An appsrc whose pipeline never started is not flushing, so a full queue blocks the thread until the end is set.
  gst_app_src_end_of_stream(GST_APP_SRC(appsrc_.get()));
  thread_.join();
}

std::string read_unreadable(GstMessage* message) {
  const GstStructure* structure = gst_message_get_structure(message);
  if (!structure || !gst_structure_has_name(structure, kUnreadable)) return {};
  return gst_structure_get_string(structure, "sentence");
}

void name_frames_by_file(GstElement* tagger, std::vector<std::string> files) {
  // On the streaming thread, before the frame, so that the name always belongs to the frame.
  const auto on_frame = [](GstPad* pad, GstPadProbeInfo* info, gpointer data) {
    const auto& list = *static_cast<const std::vector<std::string>*>(data);
    const GstClockTime pts = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
    GstElement* element = gst_pad_get_parent_element(pad);
    if (element && GST_CLOCK_TIME_IS_VALID(pts) && picture_index(pts) < list.size())
      g_object_set(element, "source-id", readable(list[picture_index(pts)]).c_str(), nullptr);
    if (element) gst_object_unref(element);
    return GST_PAD_PROBE_OK;
  };
  const gst::PadPtr pad(gst_element_get_static_pad(tagger, "sink"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_frame, new std::vector<std::string>(std::move(files)),
                    [](gpointer data) { delete static_cast<std::vector<std::string>*>(data); });
}

namespace {

struct PictureTargets {
  std::vector<std::string> files;
  OutputFile::Rules rules;
};

}  // namespace

void write_frames(GstElement* appsink, std::vector<std::string> targets, OutputFile::Rules rules) {
  GstAppSinkCallbacks callbacks{};
  callbacks.new_sample = [](GstAppSink* sink, gpointer data) {
    const auto& wanted = *static_cast<const PictureTargets*>(data);
    const gst::SamplePtr sample(gst_app_sink_pull_sample(sink));
    if (!sample) return GST_FLOW_OK;
    const std::size_t index = picture_index(GST_BUFFER_PTS(gst_sample_get_buffer(sample.get())));
    if (index >= wanted.files.size() || wanted.files[index].empty()) return GST_FLOW_OK;
    const Status done = write_picture(sample.get(), wanted.files[index], wanted.rules);
    if (done) return GST_FLOW_OK;
    GST_ELEMENT_ERROR(sink, RESOURCE, WRITE, ("%s", done.error().message.c_str()), (nullptr));
    return GST_FLOW_ERROR;
  };
  gst_app_sink_set_callbacks(GST_APP_SINK(appsink), &callbacks,
                             new PictureTargets{std::move(targets), std::move(rules)},
                             [](gpointer data) { delete static_cast<PictureTargets*>(data); });
}

}  // namespace bcp::cli::run
