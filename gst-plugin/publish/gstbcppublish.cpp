// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-bcppublish
 * @title: bcppublish
 * @see_also: bcptagger
 *
 * Writes each new result as one line of JSON, to a file or to standard output, or publishes it to an MQTT broker.
 * Buffers pass through unchanged and never wait for a broker.
 *
 * |[
 * gst-launch-1.0 -q filesrc location=clip.mp4 ! decodebin ! bcptagger ! bcppublish location=- ! fakesink
 * ]|
 *
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! bcptagger source-id=door ! bcppublish mqtt-address=mqtt://broker
 *   discovery-prefix=homeassistant ! fakesink
 * ]|
 *
 * The element empties a file when it first opens it (unless `append` is set). When the same element starts again with
 * the same location, it continues the file, so that a restarted pipeline loses nothing. Only one publisher can use a
 * location at a time. (-q keeps the messages of gst-launch out of standard output.)
 */

#include "publish/gstbcppublish.h"

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "publish/properties.hpp"
#include "publish/stream.hpp"
#include "support/barrier.hpp"
#include "support/bus.hpp"
#include "support/guarded.hpp"

GST_DEBUG_CATEGORY_STATIC(gst_bcp_publish_debug);
#define GST_CAT_DEFAULT gst_bcp_publish_debug

namespace {

using bcp::LineWriter;
using bcp::gst::barrier;
using bcp::mqtt::MqttClient;
using bcp::publish::Settings;
using bcp::publish::Stream;

// A full pipe blocks the streaming thread, and with it a thread that flushes or stops the stream. That thread cancels
// the wait through this.
struct Waiting {
  LineWriter* writer = nullptr;  // null if no stream writes
  bool stopping = false;         // the end of a flush must not undo a stop

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
  bcp::gst::Guarded<Settings> settings;                   // any thread
  bcp::publish::LineCounts lines;                         // any thread
  bcp::gst::Guarded<std::shared_ptr<MqttClient>> client;  // any thread; kept after stop, for its counts
  bcp::gst::Guarded<Waiting> waiting;                     // any thread
  std::unique_ptr<Stream> stream;                         // start(), stop(), and the streaming thread between them
  std::set<std::string> opened;                           // start() only: locations to continue, not to empty
};

// GObject allocates zeroed memory and never runs C++ constructors, so all C++ members are behind one pointer.
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

static GstBcpPublishImpl& impl_of(gpointer object) {
  return *GST_BCP_PUBLISH(object)->impl;
}

static void gst_bcp_publish_set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  barrier(object, [&] {
    const bool known =
        impl_of(object).settings.with([&](Settings& s) { return bcp::publish::set_setting(s, id, value); });
    if (!known) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  });
}

static GstStructure* stats(GstBcpPublishImpl& impl) {
  const std::shared_ptr<MqttClient> client = impl.client.copy();
  const bcp::mqtt::MqttCounts mqtt = client ? client->counts() : bcp::mqtt::MqttCounts();
  return gst_structure_new("bcp-publish-stats", "lines", G_TYPE_UINT64, impl.lines.written.load(), "lost",
                           G_TYPE_UINT64, impl.lines.lost.load(), "mqtt-connected", G_TYPE_BOOLEAN,
                           static_cast<gboolean>(mqtt.connected), "mqtt-published", G_TYPE_UINT64, mqtt.published,
                           "mqtt-queued", G_TYPE_UINT64, mqtt.queued, "mqtt-dropped", G_TYPE_UINT64, mqtt.dropped,
                           "mqtt-reconnects", G_TYPE_UINT64, mqtt.reconnects, nullptr);
}

static void gst_bcp_publish_get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  barrier(object, [&] {
    GstBcpPublishImpl& impl = impl_of(object);
    if (id == bcp::publish::kPropStats) {
      g_value_take_boxed(value, stats(impl));
    } else if (!bcp::publish::get_setting(impl.settings.copy(), id, value)) {
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
  });
}

static gboolean gst_bcp_publish_start(GstBaseTransform* trans) {
  return barrier(trans, FALSE, [&]() -> gboolean {
    GstBcpPublishImpl& impl = impl_of(trans);
    const Settings settings = impl.settings.copy();
    const std::string location = settings.location.value_or("-");
    const bool append = settings.append || impl.opened.contains(location);
    auto stream = Stream::open(GST_ELEMENT(trans), settings, append, impl.lines);
    if (!stream) {
      bcp::gst::post(GST_ELEMENT(trans), GST_MESSAGE_ERROR, {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE},
                     stream.error().message.c_str());
      return FALSE;
    }
    if (settings.writes()) impl.opened.insert(location);
    impl.waiting.with([&](Waiting& w) { w = {(*stream)->writer(), false}; });
    impl.client.with([&](auto& client) { client = (*stream)->client(); });
    impl.stream = *std::move(stream);  // after all that can fail, so that a failed start changes nothing
    return TRUE;
  });
}

static gboolean gst_bcp_publish_stop(GstBaseTransform* trans) {
  return barrier(trans, TRUE, [&]() -> gboolean {
    GstBcpPublishImpl& impl = impl_of(trans);
    impl.waiting.with([](Waiting& w) { w = {}; });
    if (impl.stream) impl.stream->finish(impl.settings.copy());
    impl.stream.reset();
    return TRUE;
  });
}

static GstStateChangeReturn gst_bcp_publish_change_state(GstElement* element, GstStateChange transition) {
  barrier(element, [&] {
    if (transition != GST_STATE_CHANGE_PAUSED_TO_READY) return;
    impl_of(element).waiting.with([](Waiting& w) { w.stop(); });
  });
  return GST_ELEMENT_CLASS(gst_bcp_publish_parent_class)->change_state(element, transition);
}

static gboolean gst_bcp_publish_sink_event(GstBaseTransform* trans, GstEvent* event) {
  barrier(trans, [&] {
    GstBcpPublishImpl& impl = impl_of(trans);
    switch (GST_EVENT_TYPE(event)) {
      case GST_EVENT_FLUSH_START:
      case GST_EVENT_FLUSH_STOP: {
        const bool on = GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_START;
        impl.waiting.with([on](Waiting& w) { w.flush(on); });
        break;
      }
      case GST_EVENT_EOS:
        if (impl.stream) impl.stream->end(impl.settings.copy());
        break;
      default:
        break;
    }
  });
  return GST_BASE_TRANSFORM_CLASS(gst_bcp_publish_parent_class)->sink_event(trans, event);
}

static GstFlowReturn gst_bcp_publish_transform_ip(GstBaseTransform* trans, GstBuffer* buffer) {
  return barrier(trans, GST_FLOW_ERROR, [&] {
    GstBcpPublishImpl& impl = impl_of(trans);
    impl.stream->process(buffer, trans->segment, impl.settings.copy());
    // The first result may have created it.
    impl.client.with([&](auto& client) {
      if (!client) client = impl.stream->client();
    });
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
  GST_DEBUG_CATEGORY_INIT(gst_bcp_publish_debug, "bcppublish", 0, "publishes labels");

  GObjectClass* object = G_OBJECT_CLASS(klass);
  object->set_property = gst_bcp_publish_set_property;
  object->get_property = gst_bcp_publish_get_property;
  object->finalize = gst_bcp_publish_finalize;
  bcp::publish::install_properties(object);

  GstElementClass* element = GST_ELEMENT_CLASS(klass);
  element->change_state = gst_bcp_publish_change_state;
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(element, "BCP publisher", "Filter/Metadata",
                                        "Writes the labels of each new result as a line of JSON, to a file or to an "
                                        "MQTT broker",
                                        "The gst-bcp authors");

  GstBaseTransformClass* trans = GST_BASE_TRANSFORM_CLASS(klass);
  trans->start = gst_bcp_publish_start;
  trans->stop = gst_bcp_publish_stop;
  trans->sink_event = gst_bcp_publish_sink_event;
  trans->transform_ip = gst_bcp_publish_transform_ip;
  trans->transform_ip_on_passthrough = TRUE;
}
