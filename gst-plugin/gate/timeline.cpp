// SPDX-License-Identifier: LGPL-2.1-or-later

#include "gate/timeline.hpp"

#include <utility>

namespace bcp::gate {
namespace {

// Without DTS the frames of encoded video seem to go back by a few; a source that starts again goes back by more.
constexpr gint64 kMostReordering = 2 * GST_SECOND;

std::optional<gint64> running_time(GstClockTime position, const GstSegment& segment) {
  if (!GST_CLOCK_TIME_IS_VALID(position) || segment.format != GST_FORMAT_TIME) return std::nullopt;
  guint64 time = 0;
  const int sign = gst_segment_to_running_time_full(&segment, GST_FORMAT_TIME, position, &time);
  if (sign == 0) return std::nullopt;
  return sign > 0 ? static_cast<gint64>(time) : -static_cast<gint64>(time);
}

}  // namespace

Timeline::Moment Timeline::at(GstBuffer* buffer, const GstSegment& segment, gint64 wall) {
  auto time = running_time(GST_BUFFER_DTS(buffer), segment);
  if (!time) time = running_time(GST_BUFFER_PTS(buffer), segment);
  if (!time) {
    if (newest_ && !by_wall_clock_) return {*newest_, false};
    by_wall_clock_ = true;
    return move_to(wall);
  }
  if (std::exchange(by_wall_clock_, false)) {
    newest_ = *time;
    return {*time, true};
  }
  return move_to(*time);
}

Timeline::Moment Timeline::at(GstClockTime position, const GstSegment& segment) {
  const auto time = running_time(position, segment);
  if (!time || by_wall_clock_) return {newest_.value_or(0), false};
  return move_to(*time);
}

Timeline::Moment Timeline::move_to(gint64 time) {
  if (newest_ && time < *newest_) {
    if (*newest_ - time <= kMostReordering) return {*newest_, false};
    newest_ = time;
    return {time, true};
  }
  newest_ = time;
  return {time, false};
}

}  // namespace bcp::gate
