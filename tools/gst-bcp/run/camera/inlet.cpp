// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/camera/inlet.hpp"

#include <utility>

namespace bcp::cli::run {
namespace {

// How far a source's times may be from the clock's before they are moved. Live sources are within their latency.
constexpr GstClockTimeDiff kTolerated = 2 * GST_SECOND;
constexpr GstClockTime kLeastInterval = GST_MSECOND;

GstClockTime running_time_now(GstElement* pipeline) {
  GstClock* clock = gst_element_get_clock(pipeline);
  if (!clock) return GST_CLOCK_TIME_NONE;
  const GstClockTime now = gst_clock_get_time(clock);
  gst_object_unref(clock);
  const GstClockTime base = gst_element_get_base_time(pipeline);
  return GST_CLOCK_TIME_IS_VALID(base) && now > base ? now - base : GST_CLOCK_TIME_NONE;
}

// A pad of the pipeline's own level for the pad of an element in a bin in it.
gst::PadPtr outer_pad(GstElement* pipeline, GstElement* element, gst::PadPtr pad) {
  const gst::ElementPtr parent(GST_ELEMENT(gst_object_get_parent(GST_OBJECT(element))));
  if (!parent || parent.get() == pipeline) return pad;
  GstPad* ghost = gst_ghost_pad_new(GST_OBJECT_NAME(element), pad.get());
  gst_pad_set_active(ghost, TRUE);
  gst_element_add_pad(parent.get(), ghost);
  return gst::PadPtr(GST_PAD(gst_object_ref(ghost)));
}

}  // namespace

void Timeline::restart() {
  const std::lock_guard lock(mutex_);
  shift_.reset();
}

GstClockTimeDiff Timeline::shift(GstClockTime running_time, GstClockTime now) {
  const std::lock_guard lock(mutex_);
  if (!GST_CLOCK_TIME_IS_VALID(running_time)) return shift_.value_or(0);
  if (!shift_) {
    shift_ = 0;
    // The first source sets the time; later sources continue from there.
    if (GST_CLOCK_TIME_IS_VALID(last_) && GST_CLOCK_TIME_IS_VALID(now)) {
      const auto ahead = GST_CLOCK_DIFF(now, running_time);
      if (running_time <= last_ || ahead > kTolerated || ahead < -kTolerated) shift_ = -ahead;
    }
  }
  const GstClockTime moved = running_time + static_cast<GstClockTime>(*shift_);
  if (!GST_CLOCK_TIME_IS_VALID(last_) || moved > last_) last_ = moved;
  return *shift_;
}

Inlet::Inlet(GstElement* pipeline, gst::PadPtr pad, std::string prefix, std::shared_ptr<Timeline> timeline,
             void (*on_end)(GstElement*))
    : pipeline_(pipeline),
      pad_(std::move(pad)),
      prefix_(std::move(prefix)),
      has_pictures_(prefix_ == "video/"),
      timeline_(std::move(timeline)),
      on_end_(on_end) {
  const auto types = static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                                                  GST_PAD_PROBE_TYPE_EVENT_FLUSH);
  probe_ = gst_pad_add_probe(
      pad_.get(), types,
      [](GstPad*, GstPadProbeInfo* info, gpointer self) {
        auto& inlet = *static_cast<Inlet*>(self);
        return info->type & GST_PAD_PROBE_TYPE_BUFFER ? inlet.on_buffer(info) : inlet.on_event(info);
      },
      this, nullptr);
}

Inlet::~Inlet() {
  gst_pad_remove_probe(pad_.get(), probe_);
}

std::shared_ptr<Inlet> Inlet::of(GstElement* pipeline, const char* name, std::string prefix,
                                 std::shared_ptr<Timeline> timeline, void (*on_end)(GstElement*)) {
  const gst::ElementPtr element(gst_bin_get_by_name(GST_BIN(pipeline), name));
  if (!element) return nullptr;
  gst::PadPtr pad = outer_pad(pipeline, element.get(), gst::PadPtr(gst_element_get_static_pad(element.get(), "sink")));
  return std::shared_ptr<Inlet>(new Inlet(pipeline, std::move(pad), std::move(prefix), std::move(timeline), on_end));
}

bool Inlet::take(GstPad* source) {
  gst::CapsPtr caps(gst_pad_get_current_caps(source));
  if (!caps) caps.reset(gst_pad_query_caps(source, nullptr));
  if (!caps || gst_caps_get_size(caps.get()) == 0) return false;
  const std::string name = gst_structure_get_name(gst_caps_get_structure(caps.get(), 0));
  if (!name.starts_with(prefix_) || gst_pad_is_linked(pad_.get())) return false;
  return gst_pad_link(source, pad_.get()) == GST_PAD_LINK_OK;
}

void Inlet::end() {
  ending_ = true;
  gst_pad_send_event(pad_.get(), gst_event_new_eos());
}

// The time of a buffer of the present source, in the segment that is known downstream. NONE: it has no time there.
GstClockTime Inlet::place(GstClockTime time) {
  if (!started_ || !GST_CLOCK_TIME_IS_VALID(time)) return GST_CLOCK_TIME_NONE;
  const GstClockTime running_time = gst_segment_to_running_time(&present_, GST_FORMAT_TIME, time);
  const GstClockTimeDiff shift = timeline_->shift(running_time, running_time_now(pipeline_));
  if (shift == 0 && gst_segment_is_equal(&present_, &first_)) return time;
  if (!GST_CLOCK_TIME_IS_VALID(running_time)) return GST_CLOCK_TIME_NONE;
  return gst_segment_position_from_running_time(&first_, GST_FORMAT_TIME,
                                                running_time + static_cast<GstClockTime>(shift));
}

// The clock's time, in the first segment: for pictures without a time, as those of HTTP cameras. NONE: not known.
GstClockTime Inlet::arrival() const {
  const GstClockTime now = running_time_now(pipeline_);
  if (!started_ || !GST_CLOCK_TIME_IS_VALID(now)) return GST_CLOCK_TIME_NONE;
  return gst_segment_position_from_running_time(&first_, GST_FORMAT_TIME, now);
}

// When many packets come at once after a stall, their times go back or are missing. Encoders and files need increasing
// times: these pictures follow each other closely until the clock has caught up.
GstClockTime Inlet::behind_last(GstClockTime time) {
  if (!GST_CLOCK_TIME_IS_VALID(time)) time = arrival();
  const bool follows = GST_CLOCK_TIME_IS_VALID(time) && (!GST_CLOCK_TIME_IS_VALID(last_) || time > last_);
  if (!follows && GST_CLOCK_TIME_IS_VALID(last_)) time = last_ + kLeastInterval;
  if (GST_CLOCK_TIME_IS_VALID(time)) last_ = time;
  return time;
}

GstPadProbeReturn Inlet::on_buffer(GstPadProbeInfo* info) {
  ++count_;
  GstBuffer* buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  const GstClockTime given = GST_BUFFER_PTS(buffer);
  const GstClockTime placed = has_pictures_ ? behind_last(place(given)) : place(given);
  if (placed == given) return GST_PAD_PROBE_OK;
  if (!GST_CLOCK_TIME_IS_VALID(placed)) return GST_PAD_PROBE_DROP;
  buffer = gst_buffer_make_writable(buffer);
  info->data = buffer;
  GST_BUFFER_PTS(buffer) = placed;
  GST_BUFFER_DTS(buffer) = GST_CLOCK_TIME_NONE;  // decoded pictures need none
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn Inlet::on_event(GstPadProbeInfo* info) {
  GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_STREAM_START:
      // A reconnected camera is the same stream: what was learnt stays valid.
      return std::exchange(named_, true) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
    case GST_EVENT_SEGMENT:
      gst_event_copy_segment(event, &present_);
      if (std::exchange(started_, true)) return GST_PAD_PROBE_DROP;  // buffers are put into the first
      first_ = present_;
      return GST_PAD_PROBE_OK;
    case GST_EVENT_CAPS:
      keep_rate(info);
      return GST_PAD_PROBE_OK;
    case GST_EVENT_FLUSH_START:
    case GST_EVENT_FLUSH_STOP:
      return GST_PAD_PROBE_DROP;  // it would reset the pipeline's time
    case GST_EVENT_EOS: {
      gint64 duration = 0;
      if (ending_ || (gst_pad_peer_query_duration(pad_.get(), GST_FORMAT_TIME, &duration) && duration > 0))
        return GST_PAD_PROBE_OK;
      on_end_(pipeline_);
      return GST_PAD_PROBE_DROP;
    }
    default:
      return GST_PAD_PROBE_OK;
  }
}

// Containers do not support a changing frame rate. The rate is informative only: each frame has its own time.
void Inlet::keep_rate(GstPadProbeInfo* info) {
  GstCaps* caps = nullptr;
  gst_event_parse_caps(GST_PAD_PROBE_INFO_EVENT(info), &caps);
  int n = 0, d = 1;
  if (!gst_structure_get_fraction(gst_caps_get_structure(caps, 0), "framerate", &n, &d)) return;
  if (rate_n_ < 0) rate_n_ = n, rate_d_ = d;
  if (n == rate_n_ && d == rate_d_) return;
  const gst::CapsPtr kept(gst_caps_copy(caps));
  gst_caps_set_simple(kept.get(), "framerate", GST_TYPE_FRACTION, rate_n_, rate_d_, nullptr);
  gst_event_unref(GST_PAD_PROBE_INFO_EVENT(info));
  info->data = gst_event_new_caps(kept.get());
}

}  // namespace bcp::cli::run
