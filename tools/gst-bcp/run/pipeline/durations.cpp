// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/pipeline/durations.hpp"

#include "support/owners.hpp"

namespace bcp::cli::run {
namespace {

constexpr GstClockTime kShortestFrame = GST_MSECOND;    // less is invalid: decoders set 1 ns for an unknown frame rate
constexpr GstClockTime kUsualFrame = 40 * GST_MSECOND;  // of a frame of unknown duration

GstPadProbeReturn on_frame(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto& last = *static_cast<GstClockTime*>(data);
  GstBuffer* frame = GST_PAD_PROBE_INFO_BUFFER(info);
  const GstClockTime time = GST_BUFFER_PTS(frame);
  if (!GST_BUFFER_DURATION_IS_VALID(frame) || GST_BUFFER_DURATION(frame) < kShortestFrame) {
    frame = gst_buffer_make_writable(frame);
    info->data = frame;
    const bool follows =
        GST_CLOCK_TIME_IS_VALID(last) && GST_CLOCK_TIME_IS_VALID(time) && time >= last + kShortestFrame;
    GST_BUFFER_DURATION(frame) = follows ? time - last : kUsualFrame;
  }
  last = time;
  return GST_PAD_PROBE_OK;
}

}  // namespace

void fill_durations(GstElement* muxer) {
  const auto watch = [](GstElement*, GstPad* pad, gpointer) -> gboolean {
    if (g_str_has_prefix(GST_PAD_NAME(pad), "video"))
      gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, new GstClockTime(GST_CLOCK_TIME_NONE),
                        [](gpointer data) { delete static_cast<GstClockTime*>(data); });
    return TRUE;
  };
  gst_element_foreach_sink_pad(muxer, watch, nullptr);
}

}  // namespace bcp::cli::run
