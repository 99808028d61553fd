// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/record/label_track.hpp"

#include <algorithm>
#include <utility>

#include "gst-bcp/run/record/trigger.hpp"

namespace bcp::cli::run {
namespace {

constexpr std::size_t kMostRecent = 4096;  // results
constexpr std::size_t kMostFiles = 3;      // that results may still come for

double seconds_between(GstClockTime from, GstClockTime to) {
  return to > from ? static_cast<double>(to - from) / GST_SECOND : 0;
}

}  // namespace

LabelTrack::~LabelTrack() {
  while (!beside_.empty()) close_oldest();
}

void LabelTrack::add(gst::BcpResultPtr result, GstClockTime time, GstClockTime oldest) {
  while (beside_.size() > 1 && beside_[1].start <= time) close_oldest();
  if (!beside_.empty()) {
    const Beside& file = beside_.front();
    if (time >= file.start && (!GST_CLOCK_TIME_IS_VALID(file.end) || time <= file.end))
      file.files->add(seconds_between(file.start, time), shown_in(result.get()));
  }
  recent_.push_back({std::move(result), time});
  while (recent_.size() > 1 && (recent_[1].time <= oldest || recent_.size() > kMostRecent)) recent_.pop_front();
}

void LabelTrack::begin(const std::string& stem, WallTime wall, GstClockTime start) {
  while (beside_.size() >= kMostFiles) close_oldest();
  beside_.push_back({start, GST_CLOCK_TIME_NONE, std::make_unique<LabelFiles>(stem, wall)});
  for (std::size_t i = 0; i < recent_.size(); ++i) {
    if (i + 1 < recent_.size() && recent_[i + 1].time <= start) continue;  // over before
    beside_.back().files->add(seconds_between(start, recent_[i].time), shown_in(recent_[i].result.get()));
  }
}

void LabelTrack::end(GstClockTime end) {
  if (!beside_.empty()) beside_.back().end = end;
}

void LabelTrack::drop() {
  if (!beside_.empty()) beside_.pop_back();
}

void LabelTrack::close_oldest() {
  const Beside& file = beside_.front();
  if (GST_CLOCK_TIME_IS_VALID(file.end)) file.files->finish(seconds_between(file.start, file.end));
  beside_.pop_front();
}

}  // namespace bcp::cli::run
