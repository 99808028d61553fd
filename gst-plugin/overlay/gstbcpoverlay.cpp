// SPDX-License-Identifier: LGPL-2.1-or-later

/**
 * SECTION:element-bcpoverlay
 *
 * Draws the labels in the metadata of each buffer: a panel with names, bars and probabilities, the effect of the
 * correction, and the boxes of regions. If downstream supports overlay compositions, the drawing is attached to the
 * buffer, else it is blended into the pixels. Frames without labels pass through unchanged.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 filesrc location=video.mp4 ! decodebin ! bcptagger ! bcpoverlay compare=true ! videoconvert !
 * autovideosink
 * ]|
 *
 * @see_also: bcptagger
 */

#include "overlay/gstbcpoverlay.h"

#include <gst/video/video.h>

#include <memory>
#include <string>

#include "overlay/negotiation.hpp"
#include "overlay/properties.hpp"
#include "overlay/scene.hpp"
#include "support/barrier.hpp"
#include "support/bus.hpp"

GST_DEBUG_CATEGORY_STATIC(bcpoverlay_debug);
#define GST_CAT_DEFAULT bcpoverlay_debug

using bcp::gst::barrier;
using bcp::overlay::Settings;

namespace {

// The counters of `stats`, since start.
struct Statistics {
  guint64 frames = 0;    // received
  guint64 blended = 0;   // frames with the overlay in their pixels
  guint64 attached = 0;  // frames with an overlay composition
  guint64 drawn = 0;     // pictures drawn, because the text or the size changed
  guint64 faults = 0;    // frames that could not be drawn on
};

// Created in start(), destroyed in stop(); in between only the streaming thread uses it.
struct Stream {
  GstVideoInfo info{};
  bool attach = false;
  bool something = false;  // there is something to draw on the current frame
  bool warned = false;
  bcp::overlay::Scene scene;
};

// GObject allocates zeroed memory and never runs C++ constructors, so all C++ members are here, behind one pointer.
struct Impl {
  bcp::overlay::SharedSettings settings{std::make_shared<const Settings>()};  // any thread
  bcp::gst::Guarded<Statistics> statistics;                                   // any thread
  std::unique_ptr<Stream> stream;  // start(), stop(), and the streaming thread between them
};

// A frame mapped for reading and writing.
class WritableFrame {
 public:
  WritableFrame(GstBuffer* buffer, const GstVideoInfo& info)
      : mapped_(
            gst_video_frame_map(&frame_, &info, buffer,
                                static_cast<GstMapFlags>(GST_MAP_READWRITE | int{GST_VIDEO_FRAME_MAP_FLAG_NO_REF}))) {}
  WritableFrame(const WritableFrame&) = delete;
  WritableFrame& operator=(const WritableFrame&) = delete;
  ~WritableFrame() {
    if (mapped_) gst_video_frame_unmap(&frame_);
  }
  explicit operator bool() const { return mapped_; }
  const GstVideoFrame& operator*() const { return frame_; }

 private:
  GstVideoFrame frame_{};
  bool mapped_;
};

// Every raw format. In system memory the overlay can be blended into the pixels; in other memory it is attached.
#define BCP_RAW_CAPS                         \
  GST_VIDEO_CAPS_MAKE(GST_VIDEO_FORMATS_ALL) \
  "; " GST_VIDEO_CAPS_MAKE_WITH_FEATURES("ANY", GST_VIDEO_FORMATS_ALL)

GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(BCP_RAW_CAPS));
GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(BCP_RAW_CAPS));

}  // namespace

struct _GstBcpOverlay {
  GstBaseTransform parent;
  Impl* impl;
};

G_DEFINE_FINAL_TYPE(GstBcpOverlay, gst_bcp_overlay, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE(bcpoverlay, "bcpoverlay", GST_RANK_NONE, GST_TYPE_BCP_OVERLAY,
                                      GST_DEBUG_CATEGORY_INIT(bcpoverlay_debug, "bcpoverlay", 0, "label overlay"))

static Impl& impl_of(gpointer object) {
  return *GST_BCP_OVERLAY(object)->impl;
}

static void gst_bcp_overlay_set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  barrier(object, [&] {
    const bool known = impl_of(object).settings.with([&](std::shared_ptr<const Settings>& current) {
      auto changed = std::make_shared<Settings>(*current);
      if (!bcp::overlay::set_setting(*changed, id, value)) return false;
      current = std::move(changed);
      return true;
    });
    if (!known) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  });
}

static void gst_bcp_overlay_get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  barrier(object, [&] {
    Impl& impl = impl_of(object);
    if (id == bcp::overlay::kPropStats) {
      const Statistics s = impl.statistics.copy();
      g_value_take_boxed(
          value, gst_structure_new("bcp-overlay-stats", "frames", G_TYPE_UINT64, s.frames, "blended", G_TYPE_UINT64,
                                   s.blended, "attached", G_TYPE_UINT64, s.attached, "drawn", G_TYPE_UINT64, s.drawn,
                                   "faults", G_TYPE_UINT64, s.faults, nullptr));
    } else if (!bcp::overlay::get_setting(*impl.settings.copy(), id, value)) {
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
  });
}

static gboolean gst_bcp_overlay_start(GstBaseTransform* trans) {
  return barrier(trans, FALSE, [&] {
    Impl& impl = impl_of(trans);
    impl.statistics.with([](Statistics& s) { s = {}; });
    impl.stream = std::make_unique<Stream>();
    return TRUE;
  });
}

static gboolean gst_bcp_overlay_stop(GstBaseTransform* trans) {
  return barrier(trans, TRUE, [&] {
    impl_of(trans).stream.reset();
    return TRUE;
  });
}

static GstCaps* gst_bcp_overlay_transform_caps(GstBaseTransform* trans, GstPadDirection direction, GstCaps* caps,
                                               GstCaps* filter) {
  return barrier(trans, static_cast<GstCaps*>(nullptr), [&] {
    const bcp::gst::CapsPtr all(bcp::overlay::transform_caps(direction, caps));
    return filter ? gst_caps_intersect_full(filter, all.get(), GST_CAPS_INTERSECT_FIRST) : gst_caps_ref(all.get());
  });
}

// Called for each negotiation. set_caps() is not called if the caps stay the same.
static GstCaps* gst_bcp_overlay_fixate_caps(GstBaseTransform* trans, GstPadDirection direction, GstCaps* caps,
                                            GstCaps* choices) {
  if (direction != GST_PAD_SINK) return gst_caps_fixate(choices);
  return barrier(trans, static_cast<GstCaps*>(nullptr), [&] {
    GstCaps* chosen = bcp::overlay::choose_caps(GST_BASE_TRANSFORM_SRC_PAD(trans), caps, choices);
    Impl& impl = impl_of(trans);
    if (impl.stream) impl.stream->attach = bcp::overlay::has_overlay_feature(chosen);
    GST_INFO_OBJECT(trans, "%" GST_PTR_FORMAT, chosen);
    return chosen;
  });
}

static gboolean gst_bcp_overlay_set_caps(GstBaseTransform* trans, GstCaps* in, GstCaps*) {
  return barrier(trans, FALSE, [&]() -> gboolean {
    Stream& stream = *impl_of(trans).stream;
    if (!gst_video_info_from_caps(&stream.info, in)) {
      GST_ELEMENT_ERROR(trans, CORE, NEGOTIATION, ("The caps are not raw video; add a decoder before bcpoverlay."),
                        ("%" GST_PTR_FORMAT, in));
      return FALSE;
    }
    stream.scene.set_info(stream.info);
    return TRUE;
  });
}

// Returns the answer of downstream unchanged. If this element offered GstVideoMeta and downstream does not support it,
// upstream would pad the rows and downstream would treat the padding as pixels.
static gboolean gst_bcp_overlay_propose_allocation(GstBaseTransform* trans, GstQuery*, GstQuery* query) {
  return gst_pad_peer_query(GST_BASE_TRANSFORM_SRC_PAD(trans), query);
}

static void gst_bcp_overlay_before_transform(GstBaseTransform* trans, GstBuffer* buffer) {
  if (trans->segment.format != GST_FORMAT_TIME) return;
  const GstClockTime time = gst_segment_to_stream_time(&trans->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  if (GST_CLOCK_TIME_IS_VALID(time)) gst_object_sync_values(GST_OBJECT(trans), time);
}

// Here and not in transform_ip(), because here a frame with nothing to draw can be passed on without a copy.
static GstFlowReturn gst_bcp_overlay_prepare_output_buffer(GstBaseTransform* trans, GstBuffer* in, GstBuffer** out) {
  const bool something = barrier(trans, false, [&] {
    Impl& impl = impl_of(trans);
    Stream& stream = *impl.stream;
    stream.something = false;
    stream.something = stream.scene.update(in, impl.settings.copy());
    impl.statistics.with([&](Statistics& s) { s.frames++, s.drawn = stream.scene.drawn(); });
    return stream.something;
  });
  if (!something) {
    *out = in;
    return GST_FLOW_OK;
  }
  return GST_BASE_TRANSFORM_CLASS(gst_bcp_overlay_parent_class)->prepare_output_buffer(trans, in, out);
}

// Draws into the pixels. False if that is not possible.
static bool blend(Stream& stream, GstBuffer* buffer) {
  // A buffer holds one field: half the lines of its caps.
  if (GST_VIDEO_INFO_INTERLACE_MODE(&stream.info) == GST_VIDEO_INTERLACE_MODE_ALTERNATE) return false;
  const WritableFrame frame(buffer, stream.info);
  if (!frame) return false;
  // A cropped frame still has all its pixels; only those inside the crop are visible.
  const GstVideoCropMeta* crop = gst_buffer_get_video_crop_meta(buffer);
  const guint width = static_cast<guint>(GST_VIDEO_FRAME_WIDTH(&*frame)),
              height = static_cast<guint>(GST_VIDEO_FRAME_HEIGHT(&*frame));
  if (!crop || crop->x >= width || crop->y >= height) return stream.scene.blend(*frame);
  return stream.scene.blend(*frame, static_cast<int>(crop->x), static_cast<int>(crop->y));
}

static std::string why_not(const GstVideoInfo& info) {
  if (GST_VIDEO_INFO_INTERLACE_MODE(&info) == GST_VIDEO_INTERLACE_MODE_ALTERNATE) {
    return "Cannot draw labels into interlaced video with one field per buffer; add deinterlace before bcpoverlay.";
  }
  const std::string format = gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&info));
  return "Cannot draw labels into these frames (" + format + "); add videoconvert before bcpoverlay.";
}

static GstFlowReturn gst_bcp_overlay_transform_ip(GstBaseTransform* trans, GstBuffer* buffer) {
  return barrier(trans, GST_FLOW_ERROR, [&] {
    Impl& impl = impl_of(trans);
    Stream& stream = *impl.stream;
    if (!stream.something) return GST_FLOW_OK;
    const bool done = stream.attach || blend(stream, buffer);
    if (stream.attach) stream.scene.attach(buffer);
    // A frame with an overlay must not be skipped as a gap.
    if (done) GST_BUFFER_FLAG_UNSET(buffer, GST_BUFFER_FLAG_GAP);
    impl.statistics.with([&](Statistics& s) { ++(!done ? s.faults : stream.attach ? s.attached : s.blended); });
    if (!done && !stream.warned) {
      stream.warned = true;
      bcp::gst::post_warning(GST_ELEMENT(trans), {bcp::ErrorCode::kUnsupported, why_not(stream.info)});
    }
    return GST_FLOW_OK;
  });
}

static void gst_bcp_overlay_init(GstBcpOverlay* self) {
  self->impl = new Impl;
  GstBaseTransform* trans = GST_BASE_TRANSFORM(self);
  gst_base_transform_set_in_place(trans, TRUE);
  gst_base_transform_set_gap_aware(trans, TRUE);
  gst_base_transform_set_qos_enabled(trans, FALSE);  // drawing is cheap; the sink drops late frames
}

static void gst_bcp_overlay_finalize(GObject* object) {
  delete GST_BCP_OVERLAY(object)->impl;
  G_OBJECT_CLASS(gst_bcp_overlay_parent_class)->finalize(object);
}

static void gst_bcp_overlay_class_init(GstBcpOverlayClass* klass) {
  GObjectClass* object = G_OBJECT_CLASS(klass);
  object->set_property = gst_bcp_overlay_set_property;
  object->get_property = gst_bcp_overlay_get_property;
  object->finalize = gst_bcp_overlay_finalize;
  bcp::overlay::install_properties(object);

  GstElementClass* element = GST_ELEMENT_CLASS(klass);
  gst_element_class_set_static_metadata(element, "BCP overlay", "Filter/Effect/Video",
                                        "Draws the labels found by bcptagger: names, probabilities and the effect of "
                                        "the correction",
                                        "The gst-bcp authors");
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);

  GstBaseTransformClass* transform = GST_BASE_TRANSFORM_CLASS(klass);
  transform->start = gst_bcp_overlay_start;
  transform->stop = gst_bcp_overlay_stop;
  transform->transform_caps = gst_bcp_overlay_transform_caps;
  transform->fixate_caps = gst_bcp_overlay_fixate_caps;
  transform->set_caps = gst_bcp_overlay_set_caps;
  transform->propose_allocation = gst_bcp_overlay_propose_allocation;
  transform->before_transform = gst_bcp_overlay_before_transform;
  transform->prepare_output_buffer = gst_bcp_overlay_prepare_output_buffer;
  transform->transform_ip = gst_bcp_overlay_transform_ip;
  transform->passthrough_on_same_caps = FALSE;
}
