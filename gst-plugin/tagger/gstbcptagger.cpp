// SPDX-License-Identifier: LGPL-2.1-or-later

/**
 * SECTION:element-bcptagger
 *
 * Labels video: scores frames against a list of labels with CLIP, corrects the scores with the label co-occurrence
 * learnt from the stream, and attaches the result to each buffer as #GstBcpMeta. The pixels are not changed.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 -q filesrc location=video.mp4 ! decodebin ! bcptagger ! bcppublish location=- ! fakesink
 * ]|
 *
 * @see_also: bcppublish
 */

#include "tagger/gstbcptagger.h"

#include <gst/video/video.h>

#include <chrono>

#include "support/barrier.hpp"
#include "support/bus.hpp"
#include "tagger/caps.hpp"
#include "tagger/impl.hpp"
#include "tagger/properties.hpp"
#include "tagger/signals.hpp"

GST_DEBUG_CATEGORY_STATIC(bcptagger_debug);
#define GST_CAT_DEFAULT bcptagger_debug

using bcp::gst::barrier;
using bcp::tagger::Impl;
using bcp::tagger::impl_of;
using bcp::tagger::Settings;

namespace {

GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(BCP_RAW_CAPS));
GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(BCP_RAW_CAPS));

}  // namespace

G_DEFINE_FINAL_TYPE(GstBcpTagger, gst_bcp_tagger, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE(bcptagger, "bcptagger", GST_RANK_NONE, GST_TYPE_BCP_TAGGER,
                                      GST_DEBUG_CATEGORY_INIT(bcptagger_debug, "bcptagger", 0, "CLIP and BCP tagger"))

static void gst_bcp_tagger_set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  barrier(object, [&] {
    Impl& impl = impl_of(object);
    const bool known = impl.settings.with([&](std::shared_ptr<const Settings>& current) {
      auto changed = std::make_shared<Settings>(*current);
      if (!bcp::tagger::set_property(*changed, id, value)) return false;
      current = std::move(changed);
      return true;
    });
    if (!known) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  });
}

static void gst_bcp_tagger_get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  barrier(object, [&] {
    Impl& impl = impl_of(object);
    const std::shared_ptr<const Settings> settings = impl.settings.copy();
    const bool known = bcp::tagger::get_property({*settings, impl.statistics}, id, value);
    if (!known) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  });
}

// Null if metrics-file is not set.
static bcp::Result<std::unique_ptr<bcp::tagger::MetricsFile>> open_metrics(GstElement* element, Impl& impl) {
  const std::shared_ptr<const Settings> settings = impl.settings.copy();
  if (settings->metrics_file.empty()) return std::unique_ptr<bcp::tagger::MetricsFile>();
  const std::string name = bcp::gst::CharPtr(gst_object_get_name(GST_OBJECT(element))).get();
  return bcp::tagger::MetricsFile::join(
      settings->metrics_file, std::chrono::seconds(settings->metrics_interval),
      [&impl, name]() -> bcp::tagger::MetricsFile::Reading {
        const std::string source = impl.settings.copy()->source_id;
        return {source.empty() ? name : source, bcp::gst::StructurePtr(impl.statistics.copy().to_structure())};
      },
      // May still run after the element has left the file, so it holds a reference to the element.
      [owner = std::shared_ptr<GstElement>(GST_ELEMENT(gst_object_ref(element)), bcp::gst::Unref())](
          const bcp::Error& error, bool post) {
        impl_of(owner.get()).statistics.with([](bcp::tagger::Statistics& s) { ++s.faults; });
        if (post) bcp::gst::post_warning(owner.get(), error);
      });
}

static gboolean gst_bcp_tagger_start(GstBaseTransform* trans) {
  return barrier(trans, FALSE, [&]() -> gboolean {
    Impl& impl = impl_of(trans);
    impl.earliest = GST_CLOCK_TIME_NONE;
    auto stream = bcp::tagger::Stream::open(GST_ELEMENT(trans), *impl.settings.copy(), impl.statistics);
    if (!stream) {
      bcp::gst::post_error(GST_ELEMENT(trans), stream.error());
      return FALSE;
    }
    auto metrics = open_metrics(GST_ELEMENT(trans), impl);
    if (!metrics) {
      bcp::gst::post_error(GST_ELEMENT(trans), metrics.error());
      return FALSE;
    }
    impl.metrics = *std::move(metrics);
    impl.stream = *std::move(stream);  // after all that can fail, so that a failed start changes nothing
    impl.prior.with([&](auto& prior) { prior = impl.stream->prior(); });
    impl.async.with([&](auto& async) { async = impl.stream->async(); });
    impl.scorer.with([&](auto& scorer) { scorer = &impl.stream->scorer(); });
    bcp::clip::Model& model = impl.stream->model();
    GST_INFO_OBJECT(trans, "model %s from %s", model.bundle().name.c_str(), model.bundle().directory.c_str());
    for (const std::string& note : model.bundle().notes) bcp::gst::post_info(GST_ELEMENT(trans), note);
    if (const std::string& note = model.encoder().provider_note(); !note.empty()) {
      bcp::gst::post_info(GST_ELEMENT(trans), note, bcp::gst::Where(), GST_LIBRARY_ERROR_INIT);
    }
    return TRUE;
  });
}

static gboolean gst_bcp_tagger_stop(GstBaseTransform* trans) {
  return barrier(trans, TRUE, [&]() -> gboolean {
    Impl& impl = impl_of(trans);
    impl.prior.with([](auto& prior) { prior.reset(); });
    impl.async.with([](auto& async) { async.reset(); });
    impl.scorer.with([](auto& scorer) { scorer = nullptr; });
    if (impl.stream) impl.stream->close();
    impl.metrics.reset();  // writes the final values
    impl.stream.reset();
    return TRUE;
  });
}

static gboolean gst_bcp_tagger_set_caps(GstBaseTransform* trans, GstCaps* in, GstCaps*) {
  return barrier(trans, FALSE, [&]() -> gboolean {
    GstVideoInfo info;
    if (!gst_video_info_from_caps(&info, in)) {
      GST_ELEMENT_ERROR(trans, CORE, NEGOTIATION, ("The caps are not raw video; add a decoder before bcptagger."),
                        ("%" GST_PTR_FORMAT, in));
      return FALSE;
    }
    impl_of(trans).stream->set_info(info);
    return TRUE;
  });
}

// Parses a value of GST_TAG_IMAGE_ORIENTATION, for example "rotate-90" or "flip-rotate-180".
static bcp::image::Orientation orientation_of(const char* tag) {
  bcp::image::Orientation orientation;
  orientation.flip = g_str_has_prefix(tag, "flip-");
  const char* degrees = strrchr(tag, '-');
  orientation.clockwise = degrees ? static_cast<int>(g_ascii_strtoll(degrees + 1, nullptr, 10)) % 360 : 0;
  return orientation;
}

static void see_event(Impl& impl, GstEvent* event) {
  bcp::tagger::Stream& stream = *impl.stream;
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_STREAM_START: {
      const gchar* id = nullptr;
      gst_event_parse_stream_start(event, &id);
      stream.begin(id ? id : "", *impl.settings.copy());
      break;
    }
    case GST_EVENT_TAG: {
      GstTagList* tags = nullptr;
      gst_event_parse_tag(event, &tags);
      gchar* text = nullptr;
      if (gst_tag_list_get_string(tags, GST_TAG_IMAGE_ORIENTATION, &text)) {
        stream.set_orientation(orientation_of(bcp::gst::CharPtr(text).get()));
      }
      break;
    }
    case GST_EVENT_FLUSH_STOP:
      impl.earliest = GST_CLOCK_TIME_NONE;
      stream.flush();
      break;
    case GST_EVENT_SEGMENT:
      stream.score_next();
      break;
    case GST_EVENT_EOS:
      stream.finish(*impl.settings.copy());
      break;
    default:
      break;
  }
}

// Discards the frame that is being scored, and ends waiting for it. Any thread.
static void discard(Impl& impl) {
  if (const auto async = impl.async.copy()) async->discard();
}

static gboolean gst_bcp_tagger_sink_event(GstBaseTransform* trans, GstEvent* event) {
  barrier(trans, [&] {
    Impl& impl = impl_of(trans);
    if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_START) {
      discard(impl);  // does not wait for the streaming thread, which may be busy
    } else if (impl.stream) {
      see_event(impl, event);
    }
  });
  return GST_BASE_TRANSFORM_CLASS(gst_bcp_tagger_parent_class)->sink_event(trans, event);
}

// Stopping waits for the streaming thread, which at EOS may be waiting for an inference: discard() ends that wait.
static GstStateChangeReturn gst_bcp_tagger_change_state(GstElement* element, GstStateChange transition) {
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) barrier(element, [&] { discard(impl_of(element)); });
  return GST_ELEMENT_CLASS(gst_bcp_tagger_parent_class)->change_state(element, transition);
}

static gboolean gst_bcp_tagger_src_event(GstBaseTransform* trans, GstEvent* event) {
  if (GST_EVENT_TYPE(event) != GST_EVENT_QOS) {
    return GST_BASE_TRANSFORM_CLASS(gst_bcp_tagger_parent_class)->src_event(trans, event);
  }
  // The base class would drop late frames if `qos` is set. The tagger skips inference instead, so the event bypasses
  // it.
  GstClockTimeDiff difference;
  GstClockTime timestamp;
  gst_event_parse_qos(event, nullptr, nullptr, &difference, &timestamp);
  if (GST_CLOCK_TIME_IS_VALID(timestamp)) {
    const bool behind = difference > 0;
    impl_of(trans).earliest = behind ? timestamp + static_cast<GstClockTime>(difference) : GST_CLOCK_TIME_NONE;
  }
  return gst_pad_push_event(GST_BASE_TRANSFORM_SINK_PAD(trans), event);
}

// Returns the answer of downstream unchanged. If this element offered GstVideoMeta and downstream does not support it,
// upstream would pad the rows and downstream would treat the padding as pixels.
static gboolean gst_bcp_tagger_propose_allocation(GstBaseTransform* trans, GstQuery*, GstQuery* query) {
  return gst_pad_peer_query(GST_BASE_TRANSFORM_SRC_PAD(trans), query);
}

static gboolean gst_bcp_tagger_query(GstBaseTransform* trans, GstPadDirection direction, GstQuery* query) {
  const gboolean answered = GST_BASE_TRANSFORM_CLASS(gst_bcp_tagger_parent_class)->query(trans, direction, query);
  if (answered && GST_QUERY_TYPE(query) == GST_QUERY_CAPS && direction == GST_PAD_SINK)
    barrier(trans, [&] { bcp::tagger::prefer_system_memory(GST_BASE_TRANSFORM_SINK_PAD(trans), query); });
  return answered;
}

// The times of the frame. Unknown in a BYTES segment, which a filesrc or appsrc without a parser sends.
static bcp::tagger::Moment moment_of(const GstSegment& segment, GstBuffer* buffer) {
  bcp::tagger::Moment moment{GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, false};
  if (segment.format != GST_FORMAT_TIME) return moment;
  moment.running_time = gst_segment_to_running_time(&segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  moment.stream_time = gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  return moment;
}

static void gst_bcp_tagger_before_transform(GstBaseTransform* trans, GstBuffer* buffer) {
  barrier(trans, [&] {
    Impl& impl = impl_of(trans);
    const GstClockTime time = moment_of(trans->segment, buffer).stream_time;
    if (GST_CLOCK_TIME_IS_VALID(time)) gst_object_sync_values(GST_OBJECT(trans), time);
    // Set here and not in the setter: the base class reads it more than once per frame, and would pass a read-only
    // buffer if it changed in between.
    const bool passes = !impl.settings.copy()->enabled;
    if (passes) impl.stream->flush();  // else old labels would show when the element is enabled again
    gst_base_transform_set_passthrough(trans, passes);
  });
}

static GstFlowReturn gst_bcp_tagger_transform_ip(GstBaseTransform* trans, GstBuffer* buffer) {
  return barrier(trans, GST_FLOW_ERROR, [&] {
    Impl& impl = impl_of(trans);
    const std::shared_ptr<const Settings> settings = impl.settings.copy();
    bcp::tagger::Moment moment = moment_of(trans->segment, buffer);
    const GstClockTime earliest = impl.earliest;
    moment.late = GST_CLOCK_TIME_IS_VALID(earliest) && GST_CLOCK_TIME_IS_VALID(moment.running_time) &&
                  moment.running_time <= earliest;
    if (impl.metrics) impl.metrics->set_interval(std::chrono::seconds(settings->metrics_interval));
    impl.stream->process(buffer, settings, moment);
    return GST_FLOW_OK;
  });
}

static void gst_bcp_tagger_init(GstBcpTagger* self) {
  self->impl = new Impl;
  GstBaseTransform* trans = GST_BASE_TRANSFORM(self);
  gst_base_transform_set_in_place(trans, TRUE);
  gst_base_transform_set_gap_aware(trans, TRUE);  // else the base class would clear the GAP flag
  gst_base_transform_set_qos_enabled(trans, FALSE);
}

static void gst_bcp_tagger_finalize(GObject* object) {
  delete GST_BCP_TAGGER(object)->impl;
  G_OBJECT_CLASS(gst_bcp_tagger_parent_class)->finalize(object);
}

static void gst_bcp_tagger_class_init(GstBcpTaggerClass* klass) {
  GObjectClass* object = G_OBJECT_CLASS(klass);
  object->set_property = gst_bcp_tagger_set_property;
  object->get_property = gst_bcp_tagger_get_property;
  object->finalize = gst_bcp_tagger_finalize;
  bcp::tagger::install_properties(object);
  bcp::tagger::install_signals(klass);

  GstElementClass* element = GST_ELEMENT_CLASS(klass);
  element->change_state = gst_bcp_tagger_change_state;
  gst_element_class_set_static_metadata(
      element, "BCP tagger", "Filter/Analyzer/Video",
      "Labels video with CLIP; learns from the stream which labels occur together and corrects the scores",
      "The gst-bcp authors");
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);

  GstBaseTransformClass* transform = GST_BASE_TRANSFORM_CLASS(klass);
  transform->start = gst_bcp_tagger_start;
  transform->stop = gst_bcp_tagger_stop;
  transform->set_caps = gst_bcp_tagger_set_caps;
  transform->query = gst_bcp_tagger_query;
  transform->sink_event = gst_bcp_tagger_sink_event;
  transform->src_event = gst_bcp_tagger_src_event;
  transform->propose_allocation = gst_bcp_tagger_propose_allocation;
  transform->before_transform = gst_bcp_tagger_before_transform;
  transform->transform_ip = gst_bcp_tagger_transform_ip;
  transform->transform_ip_on_passthrough = FALSE;  // with `enabled=false`, frames are not processed
  transform->passthrough_on_same_caps = FALSE;
}
