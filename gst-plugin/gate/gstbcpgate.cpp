// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-bcpgate
 * @title: bcpgate
 * @see_also: bcptagger
 *
 * Passes video while a condition on its labels is true, and drops it otherwise: raw video after bcptagger, or encoded
 * video whose encoder kept the labels.
 *
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! bcptagger ! bcpgate condition="person and not dog" post-roll=2000000000
 *   ! videoconvert ! autovideosink
 * ]|
 *
 * |[
 * gst-launch-1.0 -e v4l2src ! videoconvert ! bcptagger ! x264enc tune=zerolatency key-int-max=30 ! h264parse
 *   ! bcpgate condition=person pre-roll=2000000000 post-roll=5000000000 ! matroskamux ! filesink location=people.mkv
 * ]|
 */

#include "gate/gstbcpgate.h"

#include <memory>

#include "gate/properties.hpp"
#include "gate/stream.hpp"
#include "support/barrier.hpp"
#include "support/bus.hpp"
#include "support/guarded.hpp"

GST_DEBUG_CATEGORY_STATIC(gst_bcp_gate_debug);
#define GST_CAT_DEFAULT gst_bcp_gate_debug

using bcp::gate::Settings;
using bcp::gate::Statistics;
using bcp::gate::Stream;
using bcp::gst::barrier;

struct GstBcpGateImpl {
  bcp::gst::Guarded<Settings> settings;      // any thread
  bcp::gst::Guarded<Statistics> statistics;  // any thread
  std::unique_ptr<Stream> stream;            // state changes, and the streaming thread between them
};

// GObject hands out zeroed bytes and never runs C++ constructors, so every C++ member lives behind one pointer.
struct _GstBcpGate {
  GstElement parent;
  GstPad *sink, *src;
  GstBcpGateImpl* impl;
};

G_DEFINE_TYPE(GstBcpGate, gst_bcp_gate, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE(bcpgate, "bcpgate", GST_RANK_NONE, GST_TYPE_BCP_GATE)

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static GstBcpGateImpl& impl_of(gpointer object) {
  return *GST_BCP_GATE(object)->impl;
}

static void gst_bcp_gate_set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  barrier(object, [&] {
    const bool known = impl_of(object).settings.with([&](Settings& s) { return bcp::gate::set_setting(s, id, value); });
    if (!known) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  });
}

static void gst_bcp_gate_get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  barrier(object, [&] {
    const GstBcpGateImpl& impl = impl_of(object);
    if (id == bcp::gate::kPropOpen) {
      g_value_set_boolean(value, impl.statistics.with([](const Statistics& s) { return s.open; }));
    } else if (id == bcp::gate::kPropStats) {
      g_value_take_boxed(value, impl.statistics.copy().to_structure());
    } else if (!bcp::gate::get_setting(impl.settings.copy(), id, value)) {
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
  });
}

static GstFlowReturn gst_bcp_gate_chain(GstPad*, GstObject* parent, GstBuffer* buffer) {
  bcp::gst::BufferPtr owner(buffer);
  return barrier(parent, GST_FLOW_ERROR, [&] {
    GstBcpGateImpl& impl = impl_of(parent);
    return impl.stream->take(std::move(owner), impl.settings.copy());
  });
}

static gboolean gst_bcp_gate_sink_event(GstPad* pad, GstObject* parent, GstEvent* event) {
  GST_LOG_OBJECT(parent, "%" GST_PTR_FORMAT, event);
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) {
    barrier(parent, [&] { impl_of(parent).stream->flush(); });
  }
  const bool serialised = gst_event_type_get_flags(GST_EVENT_TYPE(event)) & GST_EVENT_TYPE_SERIALIZED;
  if (!serialised || GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) {
    return gst_pad_event_default(pad, parent, event);
  }
  bcp::gst::EventPtr owner(event);
  return barrier(parent, FALSE, [&]() -> gboolean {
    GstBcpGateImpl& impl = impl_of(parent);
    return impl.stream->take(std::move(owner), impl.settings.copy());
  });
}

// While an event is held, a change of caps perhaps, downstream cannot answer for what will come after it. The query is
// serialised, so the streaming thread asks.
static gboolean gst_bcp_gate_sink_query(GstPad* pad, GstObject* parent, GstQuery* query) {
  if (GST_QUERY_TYPE(query) == GST_QUERY_ALLOCATION) {
    const Stream* stream = impl_of(parent).stream.get();
    if (stream && stream->holds_events()) return FALSE;
  }
  return gst_pad_query_default(pad, parent, query);
}

static gboolean gst_bcp_gate_start(GstElement* element) {
  return barrier(element, FALSE, [&]() -> gboolean {
    GstBcpGate* self = GST_BCP_GATE(element);
    GstBcpGateImpl& impl = *self->impl;
    auto stream = Stream::open(element, self->sink, self->src, impl.settings.copy(), impl.statistics);
    if (!stream) {
      bcp::gst::post_error(element, stream.error());
      return FALSE;
    }
    impl.stream = *std::move(stream);
    return TRUE;
  });
}

static GstStateChangeReturn gst_bcp_gate_change_state(GstElement* element, GstStateChange transition) {
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !gst_bcp_gate_start(element)) return GST_STATE_CHANGE_FAILURE;
  const GstStateChangeReturn result = GST_ELEMENT_CLASS(gst_bcp_gate_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    barrier(element, [&] {
      GstBcpGateImpl& impl = impl_of(element);
      if (impl.stream) impl.stream->stop();
      impl.stream.reset();
    });
  }
  return result;
}

static void gst_bcp_gate_init(GstBcpGate* self) {
  self->impl = new GstBcpGateImpl;

  self->sink = gst_pad_new_from_static_template(&sink_template, "sink");
  gst_pad_set_chain_function(self->sink, gst_bcp_gate_chain);
  gst_pad_set_event_function(self->sink, gst_bcp_gate_sink_event);
  gst_pad_set_query_function(self->sink, gst_bcp_gate_sink_query);
  GST_PAD_SET_PROXY_CAPS(self->sink);
  GST_PAD_SET_PROXY_ALLOCATION(self->sink);
  gst_element_add_pad(GST_ELEMENT(self), self->sink);

  self->src = gst_pad_new_from_static_template(&src_template, "src");
  GST_PAD_SET_PROXY_CAPS(self->src);
  gst_element_add_pad(GST_ELEMENT(self), self->src);
}

static void gst_bcp_gate_finalize(GObject* object) {
  delete GST_BCP_GATE(object)->impl;
  G_OBJECT_CLASS(gst_bcp_gate_parent_class)->finalize(object);
}

static void gst_bcp_gate_class_init(GstBcpGateClass* klass) {
  GST_DEBUG_CATEGORY_INIT(gst_bcp_gate_debug, "bcpgate", 0, "passes video by its labels");

  GObjectClass* object = G_OBJECT_CLASS(klass);
  object->set_property = gst_bcp_gate_set_property;
  object->get_property = gst_bcp_gate_get_property;
  object->finalize = gst_bcp_gate_finalize;
  bcp::gate::install_properties(object);

  GstElementClass* element = GST_ELEMENT_CLASS(klass);
  element->change_state = gst_bcp_gate_change_state;
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(element, "BCP gate", "Filter/Video",
                                        "Passes video while a condition on its labels is true", "The gst-bcp authors");
}
