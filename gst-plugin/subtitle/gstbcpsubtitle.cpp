// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-bcpsubtitle
 * @title: bcpsubtitle
 * @see_also: bcptagger, bcppublish
 *
 * Turns the labels of a video into a subtitle track: one cue for as long as the same labels are shown. The frames are
 * not passed on, so the element needs its own branch of a tee.
 *
 * |[
 * gst-launch-1.0 filesrc location=in.mp4 ! decodebin ! videoconvert ! bcptagger ! tee name=t
 *   t. ! queue ! x264enc ! h264parse ! mux. t. ! queue ! bcpsubtitle ! mux. matroskamux name=mux ! filesink
 * location=out.mkv
 * ]|
 *
 * |[
 * gst-launch-1.0 filesrc location=in.mp4 ! decodebin ! bcptagger ! bcpsubtitle ! srtenc ! filesink location=out.srt
 * ]|
 *
 * Encoded video works too, if the encoder keeps the metadata.
 */

#include "subtitle/gstbcpsubtitle.h"

#include <gst/video/video.h>

#include <utility>

#include "subtitle/cue_feed.hpp"
#include "subtitle/presentation_order.hpp"
#include "support/barrier.hpp"
#include "support/guarded.hpp"
#include "support/properties.hpp"

GST_DEBUG_CATEGORY_STATIC(gst_bcp_subtitle_debug);
#define GST_CAT_DEFAULT gst_bcp_subtitle_debug

namespace {

using bcp::gst::barrier;
using bcp::subtitle::CueSettings;
using bcp::subtitle::LabelledFrame;

// The video stream, as seen by the streaming thread.
struct Video {
  GstSegment segment;
  GstClockTime frame_duration = GST_SECOND / 25;  // for frames without a duration
  bcp::subtitle::PresentationOrder<LabelledFrame> order;
};

GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("text/x-raw, format = (string) utf8"));

}  // namespace

struct GstBcpSubtitleImpl {
  bcp::gst::Guarded<CueSettings> settings;  // any thread
  bcp::subtitle::CueFeed feed;              // any thread
  Video video;                              // the streaming thread; pad activation while that does not run
};

// GObject allocates zeroed memory and never runs C++ constructors, so all C++ members are behind one pointer.
struct _GstBcpSubtitle {
  GstElement parent;
  GstPad *sink, *src;
  GstBcpSubtitleImpl* impl;
};

G_DEFINE_TYPE(GstBcpSubtitle, gst_bcp_subtitle, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE(bcpsubtitle, "bcpsubtitle", GST_RANK_NONE, GST_TYPE_BCP_SUBTITLE)

enum { PROP_0, PROP_PROBABILITIES, PROP_SEPARATOR, PROP_MAX_DURATION };

static void gst_bcp_subtitle_set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  barrier(object, [&] {
    auto& settings = GST_BCP_SUBTITLE(object)->impl->settings;
    switch (id) {
      case PROP_PROBABILITIES:
        settings.with([&](CueSettings& s) { s.probabilities = g_value_get_boolean(value); });
        break;
      case PROP_SEPARATOR: {
        const char* text = g_value_get_string(value);
        std::string separator = text ? text : "";
        settings.with([&](CueSettings& s) { s.separator = std::move(separator); });
        break;
      }
      case PROP_MAX_DURATION:
        settings.with([&](CueSettings& s) { s.max_duration = g_value_get_uint64(value); });
        break;
      default:
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
  });
}

static void gst_bcp_subtitle_get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  barrier(object, [&] {
    const CueSettings settings = GST_BCP_SUBTITLE(object)->impl->settings.copy();
    switch (id) {
      case PROP_PROBABILITIES:
        g_value_set_boolean(value, settings.probabilities);
        break;
      case PROP_SEPARATOR:
        g_value_set_string(value, settings.separator.c_str());
        break;
      case PROP_MAX_DURATION:
        g_value_set_uint64(value, settings.max_duration);
        break;
      default:
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
  });
}

static GstFlowReturn gst_bcp_subtitle_chain(GstPad*, GstObject* parent, GstBuffer* buffer) {
  const bcp::gst::BufferPtr owner(buffer);
  return barrier(parent, GST_FLOW_ERROR, [&] {
    GstBcpSubtitleImpl& impl = *GST_BCP_SUBTITLE(parent)->impl;
    Video& video = impl.video;
    const GstClockTime pts = GST_BUFFER_PTS(buffer);
    if (!GST_CLOCK_TIME_IS_VALID(pts) || video.segment.format != GST_FORMAT_TIME) return GST_FLOW_OK;
    const GstClockTime duration =
        GST_BUFFER_DURATION_IS_VALID(buffer) ? GST_BUFFER_DURATION(buffer) : video.frame_duration;
    guint64 start, stop;
    if (!gst_segment_clip(&video.segment, GST_FORMAT_TIME, pts, pts + duration, &start, &stop)) return GST_FLOW_OK;

    const CueSettings settings = impl.settings.copy();
    GstFlowReturn flow = GST_FLOW_OK;
    video.order.add(start, GST_BUFFER_DTS(buffer), {start, stop - start, bcp::gst::labels_shown(buffer)},
                    [&](GstClockTime, LabelledFrame frame) { flow = impl.feed.add(std::move(frame), settings); });
    return flow;
  });
}

// Adds the frames that are still held for reordering.
static void drain(GstBcpSubtitleImpl& impl) {
  const CueSettings settings = impl.settings.copy();
  impl.video.order.drain([&](GstClockTime, LabelledFrame frame) { impl.feed.add(std::move(frame), settings); });
}

static GstEvent* text_stream_start(GstEvent* video) {
  const gchar* id = nullptr;
  gst_event_parse_stream_start(video, &id);
  GstEvent* event = gst_event_new_stream_start((std::string(id ? id : "") + "/labels").c_str());
  gst_event_set_stream_flags(event, GST_STREAM_FLAG_SPARSE);
  if (guint group; gst_event_parse_group_id(video, &group)) gst_event_set_group_id(event, group);
  return event;
}

// A TIME segment, also for a video whose segment has another format.
static GstEvent* text_segment(GstEvent* video) {
  const GstSegment* segment = nullptr;
  gst_event_parse_segment(video, &segment);
  if (segment->format == GST_FORMAT_TIME) return gst_event_ref(video);
  GstSegment time;
  gst_segment_init(&time, GST_FORMAT_TIME);
  GstEvent* event = gst_event_new_segment(&time);
  gst_event_set_seqnum(event, gst_event_get_seqnum(video));
  return event;
}

static void see_video_caps(Video& video, GstEvent* event) {
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  gint n = 0, d = 1;
  if (gst_structure_get_fraction(gst_caps_get_structure(caps, 0), "framerate", &n, &d) && n > 0 && d > 0) {
    video.frame_duration = gst_util_uint64_scale_int(GST_SECOND, d, n);
  }
}

// The task of the source pad: pushes one item of the feed.
static void gst_bcp_subtitle_loop(gpointer data) {
  GstBcpSubtitle* self = GST_BCP_SUBTITLE(data);
  bcp::subtitle::CueFeed& feed = self->impl->feed;
  barrier(self, [&] {
    bcp::subtitle::ItemPtr item = feed.next();
    if (!item) {
      gst_pad_pause_task(self->src);
      return;
    }
    if (GST_IS_EVENT(item.get())) {
      GST_LOG_OBJECT(self, "%" GST_PTR_FORMAT, item.get());
      gst_pad_push_event(self->src, GST_EVENT(item.release()));
      return;
    }
    GST_LOG_OBJECT(self, "cue %" GST_PTR_FORMAT, item.get());
    const GstFlowReturn flow = gst_pad_push(self->src, GST_BUFFER(item.release()));
    feed.pushed(flow);
    // Upstream gets `flow` with its next frame and then reports the error. After EOS there is no next frame.
    const bool fatal = flow == GST_FLOW_ERROR || flow == GST_FLOW_NOT_NEGOTIATED;
    if (fatal && GST_PAD_IS_EOS(self->sink)) GST_ELEMENT_FLOW_ERROR(self, flow);
  });
}

// Drops events about the video itself (caps, tags) and forwards events about time.
static gboolean see_event(GstBcpSubtitle* self, GstEvent* event) {
  GstBcpSubtitleImpl& impl = *self->impl;
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_FLUSH_START:
      gst_pad_push_event(self->src, event);
      impl.feed.stop();
      gst_pad_pause_task(self->src);
      return TRUE;
    case GST_EVENT_FLUSH_STOP:
      gst_segment_init(&impl.video.segment, GST_FORMAT_UNDEFINED);
      impl.video.order.clear();
      gst_pad_push_event(self->src, event);
      impl.feed.start();
      return gst_pad_start_task(self->src, gst_bcp_subtitle_loop, self, nullptr);
    case GST_EVENT_STREAM_START: {
      drain(impl);
      impl.feed.add(text_stream_start(event));
      const bcp::gst::CapsPtr caps(gst_pad_get_pad_template_caps(self->src));
      impl.feed.add(gst_event_new_caps(caps.get()));
      break;
    }
    case GST_EVENT_CAPS:
      see_video_caps(impl.video, event);
      break;
    case GST_EVENT_SEGMENT:
      drain(impl);
      gst_event_copy_segment(event, &impl.video.segment);
      impl.feed.add(text_segment(event));
      break;
    case GST_EVENT_GAP:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_EOS:
      drain(impl);
      impl.feed.add(gst_event_ref(event));
      break;
    default:
      if (gst_event_type_get_flags(GST_EVENT_TYPE(event)) & GST_EVENT_TYPE_SERIALIZED) break;
      return gst_pad_push_event(self->src, event);
  }
  gst_event_unref(event);
  return TRUE;
}

static gboolean gst_bcp_subtitle_sink_event(GstPad*, GstObject* parent, GstEvent* event) {
  return barrier(parent, FALSE, [&] { return see_event(GST_BCP_SUBTITLE(parent), event); });
}

// QoS of a text sink does not concern the video, and caps are not negotiated across this element.
static gboolean gst_bcp_subtitle_src_event(GstPad* pad, GstObject* parent, GstEvent* event) {
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_QOS:
    case GST_EVENT_RECONFIGURE:
      gst_event_unref(event);
      return TRUE;
    default:
      return gst_pad_event_default(pad, parent, event);
  }
}

// This element does not read pixels, so it supports padded rows and cropping. A tee can then use them if its other
// branches support them too.
static gboolean gst_bcp_subtitle_sink_query(GstPad* pad, GstObject* parent, GstQuery* query) {
  switch (GST_QUERY_TYPE(query)) {
    case GST_QUERY_ALLOCATION:
      gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
      gst_query_add_allocation_meta(query, GST_VIDEO_CROP_META_API_TYPE, nullptr);
      return TRUE;
    case GST_QUERY_DRAIN:
      return TRUE;
    default:
      return gst_pad_query_default(pad, parent, query);
  }
}

static gboolean gst_bcp_subtitle_activate_sink(GstPad*, GstObject* parent, GstPadMode mode, gboolean active) {
  if (mode != GST_PAD_MODE_PUSH) return FALSE;
  return barrier(parent, FALSE, [&]() -> gboolean {
    GstBcpSubtitleImpl& impl = *GST_BCP_SUBTITLE(parent)->impl;
    if (!active) {
      impl.feed.stop();  // unblocks the streaming thread
      return TRUE;
    }
    impl.video.order.clear();
    gst_segment_init(&impl.video.segment, GST_FORMAT_UNDEFINED);
    return TRUE;
  });
}

static gboolean gst_bcp_subtitle_activate_src(GstPad* pad, GstObject* parent, GstPadMode mode, gboolean active) {
  if (mode != GST_PAD_MODE_PUSH) return FALSE;
  return barrier(parent, FALSE, [&]() -> gboolean {
    GstBcpSubtitle* self = GST_BCP_SUBTITLE(parent);
    if (active) {
      self->impl->feed.start();
      return gst_pad_start_task(pad, gst_bcp_subtitle_loop, self, nullptr);
    }
    self->impl->feed.stop();
    return gst_pad_stop_task(pad);
  });
}

static void gst_bcp_subtitle_init(GstBcpSubtitle* self) {
  self->impl = new GstBcpSubtitleImpl;
  gst_segment_init(&self->impl->video.segment, GST_FORMAT_UNDEFINED);

  self->sink = gst_pad_new_from_static_template(&sink_template, "sink");
  gst_pad_set_chain_function(self->sink, gst_bcp_subtitle_chain);
  gst_pad_set_event_function(self->sink, gst_bcp_subtitle_sink_event);
  gst_pad_set_query_function(self->sink, gst_bcp_subtitle_sink_query);
  gst_pad_set_activatemode_function(self->sink, gst_bcp_subtitle_activate_sink);
  gst_element_add_pad(GST_ELEMENT(self), self->sink);

  self->src = gst_pad_new_from_static_template(&src_template, "src");
  gst_pad_set_event_function(self->src, gst_bcp_subtitle_src_event);
  gst_pad_set_activatemode_function(self->src, gst_bcp_subtitle_activate_src);
  gst_pad_use_fixed_caps(self->src);
  gst_element_add_pad(GST_ELEMENT(self), self->src);
}

static void gst_bcp_subtitle_finalize(GObject* object) {
  delete GST_BCP_SUBTITLE(object)->impl;
  G_OBJECT_CLASS(gst_bcp_subtitle_parent_class)->finalize(object);
}

static void gst_bcp_subtitle_class_init(GstBcpSubtitleClass* klass) {
  GST_DEBUG_CATEGORY_INIT(gst_bcp_subtitle_debug, "bcpsubtitle", 0, "labels as subtitles");

  GObjectClass* object = G_OBJECT_CLASS(klass);
  object->set_property = gst_bcp_subtitle_set_property;
  object->get_property = gst_bcp_subtitle_get_property;
  object->finalize = gst_bcp_subtitle_finalize;

  const CueSettings defaults;
  constexpr auto live = bcp::gst::kLive;
  g_object_class_install_property(
      object, PROP_PROBABILITIES,
      g_param_spec_boolean("probabilities", "Probabilities",
                           "Show the probability of each label at the start of the cue", defaults.probabilities, live));
  g_object_class_install_property(
      object, PROP_SEPARATOR,
      g_param_spec_string("separator", "Separator", "Text between labels; a newline puts each label on its own line",
                          defaults.separator.c_str(), live));
  g_object_class_install_property(
      object, PROP_MAX_DURATION,
      g_param_spec_uint64("max-duration", "Max Duration",
                          "Maximum nanoseconds of a cue; a longer one is split. A shorter limit is used if a muxer "
                          "would otherwise wait so long that the queues become full",
                          GST_MSECOND, G_MAXINT64, defaults.max_duration, live));

  GstElementClass* element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(element, "BCP subtitles", "Filter/Metadata/Subtitle",
                                        "Turns the labels of a video into a subtitle track", "The gst-bcp authors");
}
