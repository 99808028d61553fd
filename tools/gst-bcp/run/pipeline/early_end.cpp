// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/pipeline/early_end.hpp"

#include "gst-bcp/run/plan/recipe.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {
namespace {

// Waits for a frame that is being pushed, so never call it from the main loop.
void end_branches(GstElement* pipeline, gpointer) {
  const gst::ElementPtr source(gst_bin_get_by_name(GST_BIN(pipeline), kSource));
  if (!source) return;
  const auto end_branch = [](GstElement*, GstPad* pad, gpointer) -> gboolean {
    const gst::PadPtr peer(gst_pad_get_peer(pad));
    if (peer) gst_pad_send_event(peer.get(), gst_event_new_eos());
    return TRUE;
  };
  gst_element_foreach_src_pad(source.get(), end_branch, nullptr);
}

GstPadProbeReturn drop_later(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  const gst::EventPtr event(gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0));
  if (!event) return GST_PAD_PROBE_OK;
  const GstSegment* segment = nullptr;
  gst_event_parse_segment(event.get(), &segment);
  const GstClockTime time =
      gst_segment_to_stream_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)));
  const bool late = GST_CLOCK_TIME_IS_VALID(time) && time > *static_cast<const GstClockTime*>(data);
  return late ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

}  // namespace

void end_early(GstElement* pipeline, GstClockTime last) {
  if (const gst::ElementPtr sound{gst_bin_get_by_name(GST_BIN(pipeline), kSound)}) {
    const gst::PadPtr pad(gst_element_get_static_pad(sound.get(), "src"));
    gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, drop_later, new GstClockTime(last),
                      [](gpointer data) { delete static_cast<GstClockTime*>(data); });
  }
  gst_element_call_async(pipeline, end_branches, nullptr, nullptr);
}

}  // namespace bcp::cli::run
