// SPDX-License-Identifier: LGPL-2.1-or-later

#include "subtitle/cue_track.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "subtitle/cue_text.hpp"

namespace bcp::subtitle {
namespace {

// Ignores the order.
bool same_labels(const std::vector<gst::LabelShown>& a, const std::vector<gst::LabelShown>& b) {
  if (a.size() != b.size()) return false;
  const auto names = [](const std::vector<gst::LabelShown>& labels) {
    std::vector<std::string_view> all;
    for (const gst::LabelShown& label : labels) all.push_back(label.name);
    std::sort(all.begin(), all.end());
    return all;
  };
  return names(a) == names(b);
}

}  // namespace

std::vector<Cue> CueTrack::add(LabelledFrame frame, const CueSettings& settings, GstClockTime limit) {
  std::vector<Cue> cues;
  const bool backwards = GST_CLOCK_TIME_IS_VALID(last_start_) && frame.start < last_start_;
  // A parser that splits a frame into units keeps the labels on the first unit only.
  if (frame.start == std::exchange(last_start_, frame.start) && frame.labels.empty()) return cues;

  if (open_) {
    // Labels stay until the next frame, unless the video paused for longer than a cue may last.
    const bool away = frame.start > open_->end + settings.max_duration;
    if (backwards || away || !same_labels(open_->labels, frame.labels)) {
      close(backwards || away ? open_->end : frame.start, cues);
    }
  }
  if (backwards) sent_ = 0;
  const GstClockTime end = frame.start + frame.duration;
  if (frame.labels.empty()) {
    cues.push_back({frame.start, end, {}});
    return cues;
  }
  // A cue, or the next part of one, takes the order and the probabilities of its first frame.
  if (withheld() == 0) {
    const GstClockTime start = open_ ? open_->start : std::max(frame.start, sent_);
    std::string text = cue_text(frame.labels, settings.separator, settings.probabilities);
    open_ = {start, start, std::move(frame.labels), std::move(text)};
  }
  open_->end = std::max(open_->end, end);
  if (withheld() >= std::min(settings.max_duration, limit)) cues.push_back(*cut());
  return cues;
}

std::optional<Cue> CueTrack::cut() {
  if (withheld() == 0) return std::nullopt;
  Cue cue{open_->start, open_->end, open_->text};
  open_->start = sent_ = open_->end;
  return cue;
}

// Adds no cue if the open one was just cut.
void CueTrack::close(GstClockTime end, std::vector<Cue>& cues) {
  if (withheld() > 0 && end > open_->start) cues.push_back({open_->start, end, std::move(open_->text)});
  open_.reset();
}

}  // namespace bcp::subtitle
