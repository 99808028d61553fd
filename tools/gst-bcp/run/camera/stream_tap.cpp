// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/camera/stream_tap.hpp"

#include <string_view>
#include <utility>

namespace bcp::cli::run {
namespace {

bool is_decoder(GstElement* element) {
  GstElementFactory* factory = gst_element_get_factory(element);
  const char* kind = factory ? gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS) : nullptr;
  return kind && std::string_view(kind).starts_with("Codec/Decoder");
}

// Whether an element around it, up to the source, is a decoder too: its stream would be taken twice.
bool is_inside_decoder(GstElement* element) {
  for (GstObject* around = GST_OBJECT_PARENT(element); around; around = GST_OBJECT_PARENT(around))
    if (GST_IS_ELEMENT(around) && is_decoder(GST_ELEMENT(around))) return true;
  return false;
}

}  // namespace

// Shared by the probes of a source; exists as long as they do.
struct StreamTap::Connection {
  std::weak_ptr<StreamTap> tap;
  unsigned number = 0;
  GstElement* source = nullptr;                         // of the probes: exists while they are called
  std::atomic<GstPad*> video{nullptr}, sound{nullptr};  // the first that delivered; only compared

  using Ptr = std::shared_ptr<Connection>;
  static Ptr& of(gpointer data) { return *static_cast<Ptr*>(data); }
  static void release(gpointer data) { delete static_cast<Ptr*>(data); }
  static void release_closure(gpointer data, GClosure*) { release(data); }

  static void watch(GstPad* pad, const Ptr& self) {
    const auto types = static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST);
    gst_pad_add_probe(pad, types, on_data, new Ptr(self), release);
  }

  static GstPadProbeReturn on_data(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
    Connection& self = *of(data);
    const std::shared_ptr<StreamTap> tap = self.tap.lock();
    if (!tap) return GST_PAD_PROBE_OK;
    if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
      tap->on_buffer(self, pad, GST_PAD_PROBE_INFO_BUFFER(info));
      return GST_PAD_PROBE_OK;
    }
    GstBufferList* list = GST_PAD_PROBE_INFO_BUFFER_LIST(info);
    for (guint i = 0; i < gst_buffer_list_length(list); ++i) tap->on_buffer(self, pad, gst_buffer_list_get(list, i));
    return GST_PAD_PROBE_OK;
  }

  static void on_element(GstBin*, GstBin*, GstElement* element, gpointer data) {
    if (!is_decoder(element) || is_inside_decoder(element)) return;
    if (const gst::PadPtr pad{gst_element_get_static_pad(element, "sink")}) watch(pad.get(), of(data));
  }

  // Sound that is not decoded ends here.
  static void on_pad(GstElement*, GstPad* pad, gpointer data) { watch(pad, of(data)); }
};

std::shared_ptr<StreamTap> StreamTap::make(Take take) {
  return std::shared_ptr<StreamTap>(new StreamTap(std::move(take)));
}

void StreamTap::attach(GstElement* source) {
  const auto connection = std::make_shared<Connection>();
  connection->tap = weak_from_this();
  connection->source = source;
  {
    const std::lock_guard lock(mutex_);
    connection->number = ++connection_;
    has_video_ = false;
  }
  if (!GST_IS_BIN(source)) return;  // it delivers pictures, encoded by no one
  const auto connect = [&](const char* signal, GCallback call) {
    g_signal_connect_data(source, signal, call, new Connection::Ptr(connection), Connection::release_closure,
                          GConnectFlags(0));
  };
  connect("deep-element-added", G_CALLBACK(Connection::on_element));
  connect("pad-added", G_CALLBACK(Connection::on_pad));
}

void StreamTap::follow(std::shared_ptr<Timeline> timeline) {
  const std::lock_guard lock(mutex_);
  timeline_ = std::move(timeline);
}

void StreamTap::close() {
  const std::lock_guard lock(mutex_);
  take_ = nullptr;
}

void StreamTap::on_buffer(Connection& from, GstPad* pad, GstBuffer* buffer) {
  gst::CapsPtr caps(gst_pad_get_current_caps(pad));
  if (!caps) return;
  const char* name = gst_structure_get_name(gst_caps_get_structure(caps.get(), 0));
  const bool is_sound = g_str_has_prefix(name, "audio/") && !g_str_equal(name, "audio/x-raw");
  if (!is_sound && !g_str_equal(name, "video/x-h264") && !g_str_equal(name, "video/x-h265")) return;
  std::atomic<GstPad*>& first = is_sound ? from.sound : from.video;
  GstPad* none = nullptr;
  if (!first.compare_exchange_strong(none, pad) && none != pad) return;

  const gst::EventPtr event(gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0));
  const GstSegment* segment = nullptr;
  if (event) gst_event_parse_segment(event.get(), &segment);
  if (!segment || segment->format != GST_FORMAT_TIME) return;
  const auto running = [segment](GstClockTime time) -> GstClockTime {
    guint64 result = 0;
    if (!GST_CLOCK_TIME_IS_VALID(time)) return GST_CLOCK_TIME_NONE;
    return gst_segment_to_running_time_full(segment, GST_FORMAT_TIME, time, &result) > 0 ? result : GST_CLOCK_TIME_NONE;
  };
  Packet packet;
  packet.time = running(GST_BUFFER_PTS_IS_VALID(buffer) ? GST_BUFFER_PTS(buffer) : GST_BUFFER_DTS(buffer));
  packet.decode_time = running(GST_BUFFER_DTS(buffer));
  const std::lock_guard lock(mutex_);
  if (!take_ || from.number != connection_) return;
  if (timeline_) {
    const auto shift =
        static_cast<GstClockTime>(timeline_->shift(packet.time, gst_element_get_current_running_time(from.source)));
    if (GST_CLOCK_TIME_IS_VALID(packet.time)) packet.time += shift;
    if (GST_CLOCK_TIME_IS_VALID(packet.decode_time)) packet.decode_time += shift;
  }
  if (!is_sound) has_video_ = true;
  packet.buffer.reset(gst_buffer_ref(buffer));
  packet.caps = std::move(caps);
  packet.arrival = std::chrono::system_clock::now();
  packet.connection = from.number;
  packet.is_sound = is_sound;
  packet.is_key = !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  take_(std::move(packet));
}

}  // namespace bcp::cli::run
