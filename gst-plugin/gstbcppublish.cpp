// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-bcppublish
 * @title: bcppublish
 * @see_also: bcptagger
 *
 * Writes each new result that passes as one line of JSON, to a file or to standard output. Buffers go on untouched.
 *
 * |[
 * gst-launch-1.0 -q filesrc location=clip.mp4 ! decodebin ! bcptagger ! bcppublish location=- ! fakesink
 * ]|
 *
 * A file is emptied when the element first opens it (unless `append` is set) and continued when the same element starts
 * again on the same location, so that a pipeline that is restarted loses nothing. A location belongs to one publisher
 * at a time. (-q keeps gst-launch's own messages out of standard output.)
 */

#include "gstbcppublish.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "publish/line_writer.hpp"
#include "publish/result_json.hpp"
#include "support/barrier.hpp"
#include "support/bus.hpp"
#include "support/guarded.hpp"
#include "support/owners.hpp"

GST_DEBUG_CATEGORY_STATIC(gst_bcp_publish_debug);
#define GST_CAT_DEFAULT gst_bcp_publish_debug

namespace {

using bcp::LineWriter;
using bcp::gst::barrier;

// What the user chose.
struct Settings {
  std::string location = "-";
  bool all_labels = false;
  bool append = false;
};

// What a run has built up. Made in start(), dropped in stop(); in between only the streaming thread touches it, but for
// the writer, which Waiting lends to others.
struct Stream {
  std::unique_ptr<LineWriter> writer;
  bcp::gst::ResultJson json;
  std::vector<bcp::gst::BcpResultPtr> published;  // from the last buffer that had any
  bool warned = false;
};

// A full pipe keeps the streaming thread waiting, and with it whoever flushes or stops the stream from another one.
struct Waiting {
  LineWriter* writer = nullptr;  // while there is a stream
  bool stopping = false;         // a flush that ends does not take the stop back

  void flush(bool on) {
    if (!writer || stopping) return;
    on ? writer->cancel() : writer->resume();
  }
  void stop() {
    stopping = true;
    if (writer) writer->cancel();
  }
};

}  // namespace

struct GstBcpPublishImpl {
  bcp::gst::Guarded<Settings> settings;  // any thread
  std::atomic<guint64> lines{0}, lost{0};
  bcp::gst::Guarded<Waiting> waiting;  // any thread
  std::unique_ptr<Stream> stream;      // start/stop, and the streaming thread between them
  std::set<std::string> opened;        // start only: locations to continue, no longer to empty
};

// GObject hands out zeroed bytes and never runs C++ constructors, so every C++ member lives behind one pointer.
struct _GstBcpPublish {
  GstBaseTransform parent;
  GstBcpPublishImpl* impl;
};

G_DEFINE_TYPE(GstBcpPublish, gst_bcp_publish, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE(bcppublish, "bcppublish", GST_RANK_NONE, GST_TYPE_BCP_PUBLISH)

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

enum { PROP_0, PROP_LOCATION, PROP_ALL_LABELS, PROP_APPEND, PROP_STATS };

static void gst_bcp_publish_set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  GstBcpPublishImpl& impl = *GST_BCP_PUBLISH(object)->impl;
  barrier(object, [&] {
    switch (id) {
      case PROP_LOCATION: {
        const char* text = g_value_get_string(value);
        std::string location = text ? text : "";
        impl.settings.with([&](Settings& s) { s.location = std::move(location); });
        break;
      }
      case PROP_ALL_LABELS:
        impl.settings.with([&](Settings& s) { s.all_labels = g_value_get_boolean(value); });
        break;
      case PROP_APPEND:
        impl.settings.with([&](Settings& s) { s.append = g_value_get_boolean(value); });
        break;
      default:
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
  });
}

static void gst_bcp_publish_get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  GstBcpPublishImpl& impl = *GST_BCP_PUBLISH(object)->impl;
  barrier(object, [&] {
    const Settings s = impl.settings.copy();
    switch (id) {
      case PROP_LOCATION:
        g_value_set_string(value, s.location.c_str());
        break;
      case PROP_ALL_LABELS:
        g_value_set_boolean(value, s.all_labels);
        break;
      case PROP_APPEND:
        g_value_set_boolean(value, s.append);
        break;
      case PROP_STATS:
        g_value_take_boxed(value, gst_structure_new("bcp-publish-stats", "lines", G_TYPE_UINT64, impl.lines.load(),
                                                    "lost", G_TYPE_UINT64, impl.lost.load(), nullptr));
        break;
      default:
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
  });
}

static gboolean gst_bcp_publish_start(GstBaseTransform* trans) {
  GstBcpPublishImpl& impl = *GST_BCP_PUBLISH(trans)->impl;
  return barrier(trans, FALSE, [&]() -> gboolean {
    const Settings settings = impl.settings.copy();
    const bool append = settings.append || impl.opened.contains(settings.location);
    auto writer = LineWriter::open(
        settings.location, append ? LineWriter::Start::kAppend : LineWriter::Start::kTruncate, GST_OBJECT_NAME(trans));
    if (!writer) {
      bcp::gst::post(GST_ELEMENT(trans), GST_MESSAGE_ERROR, {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE},
                     writer.error().message.c_str());
      return FALSE;
    }
    impl.opened.insert(settings.location);
    impl.lines = impl.lost = 0;
    auto stream = std::make_unique<Stream>();
    stream->writer = std::move(*writer);
    impl.waiting.with([&](Waiting& w) { w = {stream->writer.get(), false}; });
    impl.stream = std::move(stream);  // last: a failed start leaves nothing behind
    return TRUE;
  });
}

static gboolean gst_bcp_publish_stop(GstBaseTransform* trans) {
  GstBcpPublishImpl& impl = *GST_BCP_PUBLISH(trans)->impl;
  return barrier(trans, TRUE, [&]() -> gboolean {
    impl.waiting.with([](Waiting& w) { w = {}; });
    impl.stream.reset();
    return TRUE;
  });
}

static GstStateChangeReturn gst_bcp_publish_change_state(GstElement* element, GstStateChange transition) {
  barrier(element, [&] {
    if (transition != GST_STATE_CHANGE_PAUSED_TO_READY) return;
    GST_BCP_PUBLISH(element)->impl->waiting.with([](Waiting& w) { w.stop(); });
  });
  return GST_ELEMENT_CLASS(gst_bcp_publish_parent_class)->change_state(element, transition);
}

static gboolean gst_bcp_publish_sink_event(GstBaseTransform* trans, GstEvent* event) {
  barrier(trans, [&] {
    const GstEventType type = GST_EVENT_TYPE(event);
    if (type != GST_EVENT_FLUSH_START && type != GST_EVENT_FLUSH_STOP) return;
    GST_BCP_PUBLISH(trans)->impl->waiting.with([type](Waiting& w) { w.flush(type == GST_EVENT_FLUSH_START); });
  });
  return GST_BASE_TRANSFORM_CLASS(gst_bcp_publish_parent_class)->sink_event(trans, event);
}

// When the frame was taken, if a source or a receiver has said so, else now; microseconds since 1970.
static gint64 utc_us(GstBuffer* buffer) {
  static GstStaticCaps unix_caps = GST_STATIC_CAPS("timestamp/x-unix");
  static GstStaticCaps ntp_caps = GST_STATIC_CAPS("timestamp/x-ntp");
  constexpr GstClockTime kNtpToUnix = 2208988800 * GST_SECOND;  // 1900 to 1970

  const auto reference = [buffer](GstStaticCaps& caps) {
    const bcp::gst::CapsPtr wanted(gst_static_caps_get(&caps));
    const auto* meta = gst_buffer_get_reference_timestamp_meta(buffer, wanted.get());
    return meta ? meta->timestamp : GST_CLOCK_TIME_NONE;
  };
  if (const GstClockTime time = reference(unix_caps); GST_CLOCK_TIME_IS_VALID(time)) {
    return static_cast<gint64>(GST_TIME_AS_USECONDS(time));
  }
  if (const GstClockTime time = reference(ntp_caps); GST_CLOCK_TIME_IS_VALID(time) && time >= kNtpToUnix) {
    return static_cast<gint64>(GST_TIME_AS_USECONDS(time - kNtpToUnix));
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

static GstClockTime stream_time(const GstSegment& segment, GstClockTime time) {
  if (segment.format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID(time)) return GST_CLOCK_TIME_NONE;
  return gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, time);
}

static void publish(GstBcpPublish* self, GstBuffer* buffer, GstBcpResult* result) {
  GstBcpPublishImpl& impl = *self->impl;
  Stream& stream = *impl.stream;
  const GstSegment& segment = self->parent.segment;
  const bool all_labels = impl.settings.with([](const Settings& s) { return s.all_labels; });

  const std::string& line = stream.json.compose(result,
                                                {.pts = stream_time(segment, GST_BUFFER_PTS(buffer)),
                                                 .inference_pts = stream_time(segment, gst_bcp_result_get_pts(result)),
                                                 .utc_us = utc_us(buffer)},
                                                all_labels);
  const bcp::Status done = stream.writer->write(line);
  if (done) {
    ++impl.lines;
    return;
  }
  ++impl.lost;
  GST_DEBUG_OBJECT(self, "%s", done.error().message.c_str());
  if (std::exchange(stream.warned, true)) return;
  bcp::gst::post(GST_ELEMENT(self), GST_MESSAGE_WARNING, {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE},
                 done.error().message.c_str());
}

static GstFlowReturn gst_bcp_publish_transform_ip(GstBaseTransform* trans, GstBuffer* buffer) {
  GstBcpPublish* self = GST_BCP_PUBLISH(trans);
  return barrier(trans, GST_FLOW_ERROR, [&] {
    Stream& stream = *self->impl->stream;
    std::vector<bcp::gst::BcpResultPtr> fresh;
    gpointer state = nullptr;
    while (GstBcpMeta* meta = gst_buffer_iterate_bcp_meta(buffer, &state)) {
      if (!meta->held) fresh.emplace_back(gst_bcp_result_ref(meta->result));
    }
    if (fresh.empty()) return GST_FLOW_OK;
    // A buffer that was copied on the way (videorate, a parser that cuts a frame into units) says "new" again.
    for (const auto& result : fresh) {
      const auto same = [&result](const auto& other) { return other.get() == result.get(); };
      if (std::none_of(stream.published.begin(), stream.published.end(), same)) publish(self, buffer, result.get());
    }
    stream.published = std::move(fresh);
    return GST_FLOW_OK;
  });
}

static void gst_bcp_publish_init(GstBcpPublish* self) {
  self->impl = new GstBcpPublishImpl;
  gst_base_transform_set_passthrough(GST_BASE_TRANSFORM(self), TRUE);
}

static void gst_bcp_publish_finalize(GObject* object) {
  delete GST_BCP_PUBLISH(object)->impl;
  G_OBJECT_CLASS(gst_bcp_publish_parent_class)->finalize(object);
}

static void gst_bcp_publish_class_init(GstBcpPublishClass* klass) {
  GST_DEBUG_CATEGORY_INIT(gst_bcp_publish_debug, "bcppublish", 0, "publishes labels as JSON lines");

  GObjectClass* object = G_OBJECT_CLASS(klass);
  object->set_property = gst_bcp_publish_set_property;
  object->get_property = gst_bcp_publish_get_property;
  object->finalize = gst_bcp_publish_finalize;

  const Settings defaults;
  constexpr auto at_start =
      static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);
  constexpr auto live =
      static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
  constexpr auto read_only = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_property(object, PROP_LOCATION,
                                  g_param_spec_string("location", "Location", "File to write to (- = standard output)",
                                                      defaults.location.c_str(), at_start));
  g_object_class_install_property(
      object, PROP_ALL_LABELS,
      g_param_spec_boolean("all-labels", "All labels", "Write every label, not only those that are shown",
                           defaults.all_labels, live));
  g_object_class_install_property(
      object, PROP_APPEND,
      g_param_spec_boolean("append", "Append", "Keep what the file holds instead of emptying it on first use",
                           defaults.append, at_start));
  g_object_class_install_property(
      object, PROP_STATS,
      g_param_spec_boxed("stats", "Statistics",
                         "Since start: lines written, lines lost to a full disk or a gone reader", GST_TYPE_STRUCTURE,
                         read_only));

  GstElementClass* element = GST_ELEMENT_CLASS(klass);
  element->change_state = gst_bcp_publish_change_state;
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(element, "BCP publisher", "Filter/Metadata",
                                        "Writes the labels of each new result as a line of JSON",
                                        "The gst-bcp authors");

  GstBaseTransformClass* trans = GST_BASE_TRANSFORM_CLASS(klass);
  trans->start = gst_bcp_publish_start;
  trans->stop = gst_bcp_publish_stop;
  trans->sink_event = gst_bcp_publish_sink_event;
  trans->transform_ip = gst_bcp_publish_transform_ip;
  trans->transform_ip_on_passthrough = TRUE;
}
