// SPDX-License-Identifier: LGPL-2.1-or-later

#include "gate/stream.hpp"

#include <gst/video/video.h>

#include <algorithm>
#include <utility>

#include "support/bus.hpp"

namespace bcp::gate {
namespace {

// A slow model in a live pipeline has its first result by then.
constexpr gint64 kPatience = 10 * GST_SECOND;

// Configuration of the decoder that some streams begin with: not a picture.
bool is_header(GstBuffer* buffer) {
  return GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_HEADER) && !GST_BUFFER_PTS_IS_VALID(buffer);
}

// The time `span` before `time`, or the earliest there is.
gint64 before(gint64 time, GstClockTime span) {
  return time - static_cast<gint64>(std::min<GstClockTime>(span, G_MAXINT64 / 2));
}

}  // namespace

Result<std::unique_ptr<Stream>> Stream::open(GstElement* element, GstPad* sink, GstPad* src, const Settings& settings,
                                             gst::Guarded<Statistics>& statistics) {
  Result<condition::Condition> condition = condition::Condition::parse(settings.condition);
  if (!condition) return invalid("The condition is invalid: " + condition.error().message);
  return std::unique_ptr<Stream>(new Stream(element, sink, src, *std::move(condition), settings, statistics));
}

Stream::Stream(GstElement* element, GstPad* sink, GstPad* src, condition::Condition condition, const Settings& settings,
               gst::Guarded<Statistics>& statistics)
    : element_(element),
      sink_(sink),
      src_(src),
      statistics_(statistics),
      judge_(element, std::move(condition)),
      tried_(settings.condition),
      outlet_(src, statistics) {
  gst_segment_init(&segment_, GST_FORMAT_UNDEFINED);
  statistics_.with([&](Statistics& s) {
    s = {};
    s.condition = judge_.condition().text();
  });
}

GstFlowReturn Stream::take(gst::BufferPtr buffer, const Settings& settings) {
  outlet_.set_send_gaps(settings.send_gaps);
  update_condition(settings.condition);
  if (is_header(buffer.get())) {
    if (hold_.empty()) return outlet_.push(std::move(buffer));
    hold_.add_undroppable(MiniObjectPtr(GST_MINI_OBJECT(buffer.release())));
    return GST_FLOW_OK;
  }

  const std::optional<gint64> last = now_;
  move_to(timeline_.at(buffer.get(), segment_, g_get_monotonic_time() * 1000));
  at_ = position_of(GST_BUFFER_PTS(buffer.get()), segment_);
  truth_ = judge(buffer.get(), last == now_);
  if (truth_) {
    last_true_ = *now_;
    if (!is_open_) return open_with(std::move(buffer), settings);
    for (const auto& label : judge_.reasons()) merge(reasons_, label);
  } else if (is_open_ && is_over(settings.post_roll)) {
    close("condition");
  }
  if (is_open_) return outlet_.pass(std::move(buffer));
  keep(std::move(buffer), settings);
  return GST_FLOW_OK;
}

bool Stream::take(gst::EventPtr event, const Settings& settings) {
  outlet_.set_send_gaps(settings.send_gaps);
  switch (GST_EVENT_TYPE(event.get())) {
    case GST_EVENT_CAPS: {
      GstCaps* caps = nullptr;
      gst_event_parse_caps(event.get(), &caps);
      is_raw_ = g_str_has_suffix(gst_structure_get_name(gst_caps_get_structure(caps, 0)), "/x-raw");
      break;
    }
    case GST_EVENT_SEGMENT:
      gst_event_copy_segment(event.get(), &segment_);
      break;
    case GST_EVENT_GAP: {
      // Time goes on without buffers.
      GstClockTime start = GST_CLOCK_TIME_NONE;
      gst_event_parse_gap(event.get(), &start, nullptr);
      if (!now_) break;
      move_to(timeline_.at(start, segment_));
      if (is_open_ && is_over(settings.post_roll)) close("condition");
      drop(hold_.prune(before(*now_, settings.pre_roll)));
      break;
    }
    case GST_EVENT_EOS:
      if (is_open_) close("eos");
      if (now_ && !has_labels_) warn_without_labels();
      drop(hold_.take_all());
      break;
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_STREAM_GROUP_DONE:
      drop(hold_.take_all());  // nothing may come after it, and it must not wait
      break;
    default:
      break;
  }
  if (hold_.empty()) return outlet_.push(std::move(event));
  hold_.add_undroppable(MiniObjectPtr(GST_MINI_OBJECT(event.release())));
  return true;
}

void Stream::flush() {
  if (is_open_) close("flush");
  discard(hold_.take_all());
  outlet_.reset();
  timeline_.reset();
  gst_segment_init(&segment_, GST_FORMAT_UNDEFINED);
  now_.reset();
  truth_ = false;
}

void Stream::stop() {
  if (is_open_) close("stop");
  discard(hold_.take_all());
}

// A change of the property takes effect here, between two buffers.
void Stream::update_condition(const std::string& text) {
  if (text == tried_) return;
  tried_ = text;
  Result<condition::Condition> condition = condition::Condition::parse(text);
  if (!condition) {
    gst::post_warning(element_, invalid("The new condition is invalid, and the old one, " + judge_.condition().text() +
                                        ", stays in force: " + condition.error().message));
    return;
  }
  judge_.set(*std::move(condition));
  statistics_.with([&](Statistics& s) { s.condition = judge_.condition().text(); });
}

void Stream::move_to(Timeline::Moment now) {
  if (!now_) first_ = now.time;
  if (now.jumped) {
    drop(hold_.take_all());
    first_ = last_true_ = now.time;
  } else if (now_ && is_open_) {
    const auto passed = static_cast<GstClockTime>(now.time - *now_);
    open_for_ += passed;
    statistics_.with([&](Statistics& s) { s.open_time += passed; });
  }
  now_ = now.time;
}

// Whether the condition is true of the buffer. Without a result it is not known, and counts as false; but a parser that
// cuts a frame into parts leaves the result on the first of them.
bool Stream::judge(GstBuffer* buffer, bool same_time) {
  const std::optional<bool> judged = judge_.judge(buffer);
  if (judged) {
    has_labels_ = true;
    return *judged;
  }
  statistics_.with([](Statistics& s) { ++s.unlabelled; });
  if (!has_labels_ && *now_ - first_ >= kPatience) warn_without_labels();
  return same_time && truth_;
}

bool Stream::is_over(GstClockTime post_roll) const {
  return static_cast<GstClockTime>(std::max<gint64>(0, *now_ - last_true_)) > post_roll;
}

void Stream::warn_without_labels() {
  if (std::exchange(warned_without_labels_, true)) return;
  gst::post_warning(element_, {ErrorCode::kNotFound,
                               "No buffer carries labels, so the gate stays closed: put bcptagger before bcpgate, and "
                               "between them no element that drops metadata."});
}

GstFlowReturn Stream::open_with(gst::BufferPtr buffer, const Settings& settings) {
  const bool needs_key = hold_.empty() && outlet_.is_cut() && is_delta_unit(buffer.get());
  hold_.add(std::move(buffer), *now_);
  drop(hold_.prune(before(*now_, settings.pre_roll)));

  is_open_ = true;
  open_for_ = 0;
  reasons_ = judge_.reasons();
  statistics_.with([](Statistics& s) {
    s.open = true;
    ++s.openings;
  });
  g_object_notify(G_OBJECT(element_), "open");
  const Position first = needs_key ? Position() : position_of(hold_.first_pts(), segment_);
  post_opened(element_, judge_.source(), judge_.condition().text(), at_, first, reasons_);
  if (needs_key) {
    gst_pad_push_event(sink_, gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 0));
  }
  const GstFlowReturn flow = pass(hold_.take_all());
  count_held();
  return flow;
}

void Stream::close(const char* reason) {
  is_open_ = false;
  statistics_.with([](Statistics& s) { s.open = false; });
  g_object_notify(G_OBJECT(element_), "open");
  post_closed(element_, judge_.source(), judge_.condition().text(), at_, reason, open_for_, reasons_);
  reasons_.clear();
}

// The gate is closed: holds the buffer for the pre-roll, and drops what is older.
void Stream::keep(gst::BufferPtr buffer, const Settings& settings) {
  const bool useless = is_raw_ && settings.pre_roll == 0;
  const bool undecodable = hold_.empty() && outlet_.is_cut() && is_delta_unit(buffer.get());
  gst::BufferPtr kept = useless || undecodable ? nullptr : keepable(buffer.get());
  if (!kept) {
    drop(hold_.take_all());
    outlet_.drop(std::move(buffer));
  } else {
    buffer.reset();
    hold_.add(std::move(kept), *now_);
    drop(hold_.prune(before(*now_, settings.pre_roll)));
    Hold::Items over = hold_.shrink({settings.max_bytes, settings.max_buffers});
    if (!over.empty() && settings.pre_roll > 0 && !std::exchange(warned_short_, true)) {
      gst::post_warning(element_,
                        invalid("The pre-roll is shorter than asked for: max-size-bytes or max-size-buffers is "
                                "reached. Raise it, or put an encoder before bcpgate."));
    }
    drop(std::move(over));
  }
  outlet_.send_gap(hold_.first_pts(), false);
  count_held();
}

// The buffer, or a copy where its pool would miss it; none if it cannot be copied.
gst::BufferPtr Stream::keepable(GstBuffer* buffer) {
  return gst::BufferPtr(pools_.needs_copy(buffer) ? gst_buffer_copy_deep(buffer) : gst_buffer_ref(buffer));
}

// Events pass, buffers do not.
void Stream::drop(Hold::Items items) {
  for (HeldItem& item : items) {
    if (!item.is_buffer()) {
      outlet_.push(gst::EventPtr(GST_EVENT(item.object.release())));
      continue;
    }
    gst::BufferPtr buffer(GST_BUFFER(item.object.release()));
    item.droppable ? outlet_.drop(std::move(buffer)) : static_cast<void>(outlet_.push(std::move(buffer)));
  }
}

GstFlowReturn Stream::pass(Hold::Items items) {
  for (auto item = items.begin(); item != items.end(); ++item) {
    if (!item->is_buffer()) {
      outlet_.push(gst::EventPtr(GST_EVENT(item->object.release())));
      continue;
    }
    gst::BufferPtr buffer(GST_BUFFER(item->object.release()));
    const GstFlowReturn flow = item->droppable ? outlet_.pass(std::move(buffer)) : outlet_.push(std::move(buffer));
    if (flow == GST_FLOW_OK) continue;
    items.erase(items.begin(), item + 1);
    discard(items);
    return flow;
  }
  return GST_FLOW_OK;
}

// Nothing can be pushed any more. What stays true of the stream is stored for the next time, as queues do.
void Stream::discard(const Hold::Items& items) {
  for (const HeldItem& item : items) {
    if (item.is_buffer() && item.droppable) statistics_.with([](Statistics& s) { ++s.dropped; });
    if (item.is_buffer()) continue;
    const GstEventType type = GST_EVENT_TYPE(item.object.get());
    const bool sticky = gst_event_type_get_flags(type) & GST_EVENT_TYPE_STICKY;
    if (!sticky || type == GST_EVENT_SEGMENT || type == GST_EVENT_EOS) continue;
    gst_pad_store_sticky_event(src_, GST_EVENT(item.object.get()));
  }
  count_held();
}

void Stream::count_held() {
  statistics_.with([&](Statistics& s) {
    s.held = hold_.buffers();
    s.held_bytes = hold_.bytes();
  });
}

}  // namespace bcp::gate
