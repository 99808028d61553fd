// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/record/segment_writer.hpp"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "gst-bcp/run/record/label_files.hpp"

namespace bcp::cli::run {
namespace {

constexpr guint64 kMostWaiting = 32 << 20;             // bytes that are not written yet
constexpr GstClockTime kLongestEnd = 10 * GST_SECOND;  // for the muxer to finish a file
constexpr std::chrono::seconds kLongestWait{5};        // for a slow disk
constexpr std::chrono::milliseconds kGlance{5};

// How a format is described to a muxer, and its name.
struct Codec {
  const char* caps;
  const char* parser;  // empty: not needed
  const char* name;
};
constexpr std::array<Codec, 9> kCodecs = {{
    {"video/x-h264", "h264parse", "H.264"},
    {"video/x-h265", "h265parse", "H.265"},
    {"audio/mpeg,mpegversion={2,4}", "aacparse", "AAC"},
    {"audio/mpeg,mpegversion=1", "mpegaudioparse", "MP3"},
    {"audio/x-opus", "opusparse", "Opus"},
    {"audio/x-ac3", "ac3parse", "AC-3"},
    {"audio/x-vorbis", "", "Vorbis"},
    {"audio/x-alaw", "", "G.711 A-law"},
    {"audio/x-mulaw", "", "G.711 µ-law"},
}};

const Codec* codec_of(const GstCaps* caps) {
  for (const Codec& codec : kCodecs) {
    const gst::CapsPtr known(gst_caps_from_string(codec.caps));
    if (caps && gst_caps_can_intersect(known.get(), caps)) return &codec;
  }
  return nullptr;
}

bool has_element(const char* factory_name) {
  GstElementFactory* factory = gst_element_factory_find(factory_name);
  if (factory) gst_object_unref(factory);
  return factory != nullptr;
}

const char* muxer_of(DiskFile::Layout layout) {
  // The default of mp4mux is fragments that can be appended; a fragment also ends at a key frame.
  return layout == DiskFile::Layout::kMp4 ? "mp4mux fragment-duration=2000"
                                          : "matroskamux offset-to-zero=true min-cluster-duration=500000000 "
                                            "max-cluster-duration=2000000000";
}

}  // namespace

const char* ending_of(DiskFile::Layout layout) {
  return layout == DiskFile::Layout::kMp4 ? ".mp4" : ".mkv";
}

std::string codec_name(const GstCaps* caps) {
  if (const Codec* codec = codec_of(caps)) return codec->name;
  return caps && gst_caps_get_size(caps) > 0 ? gst_structure_get_name(gst_caps_get_structure(caps, 0)) : "";
}

bool takes_sound(DiskFile::Layout layout, const GstCaps* caps) {
  const Codec* codec = codec_of(caps);
  if (!codec || (*codec->parser != '\0' && !has_element(codec->parser))) return false;
  GstElementFactory* factory = gst_element_factory_find(layout == DiskFile::Layout::kMp4 ? "mp4mux" : "matroskamux");
  if (!factory) return false;
  bool takes = false;
  // Without the details that a parser changes.
  const gst::CapsPtr plain(gst_caps_from_string(codec->caps));
  for (const GList* at = gst_element_factory_get_static_pad_templates(factory); at; at = at->next) {
    auto* pad = static_cast<GstStaticPadTemplate*>(at->data);
    if (pad->direction != GST_PAD_SINK || !g_str_has_prefix(pad->name_template, "audio")) continue;
    const gst::CapsPtr taken(gst_static_pad_template_get_caps(pad));
    takes |= static_cast<bool>(gst_caps_can_intersect(taken.get(), plain.get()));
  }
  gst_object_unref(factory);
  return takes;
}

std::string sound_fault(DiskFile::Layout layout, const GstCaps* caps) {
  if (takes_sound(layout, caps)) return {};
  const bool is_mp4 = layout == DiskFile::Layout::kMp4;
  return "its sound (" + codec_name(caps) + ") is not recorded: " + (is_mp4 ? "MP4" : "Matroska") +
         " does not take it" +
         (is_mp4 && takes_sound(DiskFile::Layout::kMkv, caps) ? "; --record-format mkv does" : "");
}

// Called on the muxer's thread.
struct SegmentWriter::Sink {
  static GstFlowReturn on_bytes(GstAppSink* sink, gpointer data) {
    auto& self = *static_cast<SegmentWriter*>(data);
    const gst::SamplePtr sample(gst_app_sink_pull_sample(sink));
    if (!sample) return GST_FLOW_EOS;
    GstMapInfo map;
    GstBuffer* buffer = gst_sample_get_buffer(sample.get());
    if (!buffer || !gst_buffer_map(buffer, &map, GST_MAP_READ)) return GST_FLOW_ERROR;
    const bool done = self.file_->write(self.offset_, {map.data, map.size});
    self.offset_ += map.size;
    gst_buffer_unmap(buffer, &map);
    return done ? GST_FLOW_OK : GST_FLOW_ERROR;
  }

  // Muxers write the length and the index into the beginning at the end, where the file can be sought.
  static GstPadProbeReturn on_item(GstPad*, GstPadProbeInfo* info, gpointer data) {
    auto& self = *static_cast<SegmentWriter*>(data);
    if (info->type & GST_PAD_PROBE_TYPE_QUERY_BOTH) {
      GstQuery* query = GST_PAD_PROBE_INFO_QUERY(info);
      if (GST_QUERY_TYPE(query) != GST_QUERY_SEEKING) return GST_PAD_PROBE_OK;
      GstFormat format = GST_FORMAT_UNDEFINED;
      gst_query_parse_seeking(query, &format, nullptr, nullptr, nullptr);
      gst_query_set_seeking(query, format, format == GST_FORMAT_BYTES || format == GST_FORMAT_DEFAULT, 0, -1);
      return GST_PAD_PROBE_HANDLED;
    }
    GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
    if (GST_EVENT_TYPE(event) != GST_EVENT_SEGMENT) return GST_PAD_PROBE_OK;
    const GstSegment* segment = nullptr;
    gst_event_parse_segment(event, &segment);
    if (segment->format == GST_FORMAT_BYTES) self.offset_ = segment->start;
    return GST_PAD_PROBE_OK;
  }
};

Result<std::unique_ptr<SegmentWriter>> SegmentWriter::open(const std::string& path, const Format& format,
                                                           GstClockTime start) {
  Result<std::unique_ptr<DiskFile>> file = DiskFile::create(path, format.layout, label_files_of(path));
  if (!file) return file.error();
  std::unique_ptr<SegmentWriter> writer(new SegmentWriter(std::move(*file), start));
  if (const Status made = writer->assemble(format); !made) {
    writer->abandon();  // removes the file, also without a pipeline
    return made.error();
  }
  return writer;
}

Status SegmentWriter::assemble(const Format& format) {
  const Codec* video = codec_of(format.video);
  std::string line = "appsrc name=video format=time max-bytes=0 ! ";
  if (video) line += std::string(video->parser) + " ! ";
  // Containers store the order of decoding; cameras send only the times of showing.
  reorders_ = format.reorders;
  const std::string order = std::string(video && video->name == std::string("H.265") ? "h265" : "h264") + "timestamper";
  if (reorders_ && format.layout == DiskFile::Layout::kMp4 && has_element(order.c_str())) line += order + " ! ";
  line += std::string(muxer_of(format.layout)) + " name=mux ! appsink name=out sync=false async=false";
  if (format.sound) {
    const Codec* sound = codec_of(format.sound);
    line += " appsrc name=sound format=time max-bytes=0 ! ";
    if (sound && *sound->parser != '\0') line += std::string(sound->parser) + " ! ";
    line += "mux.audio_%u";  // a source without a parser would get any pad
  }
  GError* fault = nullptr;
  pipeline_.reset(gst_parse_launch(line.c_str(), &fault));
  const gst::ErrorPtr error(fault);
  if (!pipeline_ || error) return Error{ErrorCode::kUnsupported, error ? error->message : "no pipeline"};
  const auto child = [this](const char* name) {
    return gst::ElementPtr(gst_bin_get_by_name(GST_BIN(pipeline_.get()), name));
  };
  video_ = child("video");
  gst_app_src_set_caps(GST_APP_SRC(video_.get()), format.video);
  if (format.sound) {
    sound_ = child("sound");
    gst_app_src_set_caps(GST_APP_SRC(sound_.get()), format.sound);
  }
  const gst::ElementPtr out = child("out");
  GstAppSinkCallbacks calls{};
  calls.new_sample = Sink::on_bytes;
  gst_app_sink_set_callbacks(GST_APP_SINK(out.get()), &calls, this, nullptr);
  const gst::PadPtr pad(gst_element_get_static_pad(out.get(), "sink"));
  const auto types =
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM);
  gst_pad_add_probe(pad.get(), types, Sink::on_item, this, nullptr);
  gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
  return ok();
}

SegmentWriter::~SegmentWriter() {
  if (pipeline_) abandon();
}

void SegmentWriter::stop() {
  if (pipeline_) gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
  video_.reset();
  sound_.reset();
  pipeline_.reset();
}

void SegmentWriter::push(const Packet& packet) {
  if (!GST_CLOCK_TIME_IS_VALID(packet.time) || packet.time < start_) return;
  if (packet.is_sound && !has_sound()) return;
  auto* source = GST_APP_SRC(packet.is_sound ? sound_.get() : video_.get());
  const auto began = std::chrono::steady_clock::now();
  while (gst_app_src_get_current_level_bytes(source) > kMostWaiting && !fault() &&
         std::chrono::steady_clock::now() - began < kLongestWait)
    std::this_thread::sleep_for(kGlance);
  GstBuffer* buffer = gst_buffer_copy(packet.buffer.get());  // its memory is shared
  GST_BUFFER_PTS(buffer) = packet.time - start_;
  GST_BUFFER_DTS(buffer) = GST_CLOCK_TIME_NONE;
  if (!packet.is_sound && !reorders_) {
    // Decoded as shown. Times that do not grow (a burst of packets) would be invalid in a file.
    GstClockTime decode = GST_BUFFER_PTS(buffer);
    if (GST_CLOCK_TIME_IS_VALID(last_decode_) && decode <= last_decode_) decode = last_decode_ + GST_MSECOND;
    GST_BUFFER_PTS(buffer) = GST_BUFFER_DTS(buffer) = last_decode_ = decode;
  }
  GST_BUFFER_FLAG_UNSET(buffer, GST_BUFFER_FLAG_DISCONT);
  gst_app_src_push_buffer(source, buffer);
}

void SegmentWriter::end_sound() {
  if (!sound_ || std::exchange(sound_ended_, true)) return;
  gst_app_src_end_of_stream(GST_APP_SRC(sound_.get()));
}

std::optional<Error> SegmentWriter::fault() const {
  if (const int number = file_->fault(); number != 0) return system_error("cannot write", file_->path(), number);
  if (!pipeline_) return std::nullopt;
  const gst::BusPtr bus(gst_element_get_bus(pipeline_.get()));
  const gst::MessagePtr message(gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR));
  if (!message) return std::nullopt;
  GError* error = nullptr;
  gst_message_parse_error(message.get(), &error, nullptr);
  const gst::ErrorPtr owned(error);
  return Error{ErrorCode::kRuntime, file_->path() + " cannot be written: " + error->message};
}

Status SegmentWriter::finish() {
  gst_app_src_end_of_stream(GST_APP_SRC(video_.get()));
  end_sound();
  const gst::BusPtr bus(gst_element_get_bus(pipeline_.get()));
  const gst::MessagePtr message(gst_bus_timed_pop_filtered(
      bus.get(), kLongestEnd, static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_EOS)));
  const bool ended = message && GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_EOS;
  if (ended) {
    stop();
    return file_->finish();
  }
  std::string reason = "the muxer did not end";
  if (message) {
    GError* error = nullptr;
    gst_message_parse_error(message.get(), &error, nullptr);
    reason = gst::ErrorPtr(error)->message;
  }
  const int number = file_->fault();
  abandon();
  if (number != 0) return system_error("cannot write", file_->path(), number);
  return Error{ErrorCode::kRuntime, file_->path() + " is cut short: " + reason};
}

bool SegmentWriter::abandon() {
  stop();
  return file_->cut();
}

}  // namespace bcp::cli::run
