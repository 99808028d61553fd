// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns the labels of single frames into cues: a text with a start and an end.
//
// A cue lasts as long as the same labels are shown; without labels there is a gap. The duration of a cue is known only
// at its end, so it is returned then, and downstream (a muxer) has to wait for it. `max_duration` limits this wait: a
// longer cue is cut, and the next one continues with the same labels.
//
// Frames must arrive in presentation order. A frame that is earlier than the last one starts a new track.
//
// Thread safety: none.

#pragma once

#include <gst/gst.h>

#include <optional>
#include <string>
#include <vector>

#include "support/labels_shown.hpp"

namespace bcp::subtitle {

struct CueSettings {
  bool probabilities = false;
  std::string separator = ", ";
  GstClockTime max_duration = 5 * GST_SECOND;
};

struct Cue {
  GstClockTime start = 0;
  GstClockTime end = 0;
  std::string text;  // empty: a gap
};

struct LabelledFrame {
  GstClockTime start = 0;
  GstClockTime duration = 0;  // estimated if unknown
  std::vector<gst::LabelShown> labels;
};

class CueTrack {
 public:
  // Adds a frame and returns the cues that are now complete, oldest first. A cue is cut at `limit` if that is shorter
  // than max_duration.
  std::vector<Cue> add(LabelledFrame frame, const CueSettings& settings, GstClockTime limit = GST_CLOCK_TIME_NONE);

  // Returns the open cue up to the end of the last frame; the cue continues after that.
  std::optional<Cue> cut();

  // The length of the open cue that has not been returned yet.
  GstClockTime withheld() const { return open_ ? open_->end - open_->start : 0; }

  void clear() { *this = {}; }

 private:
  struct Open {
    GstClockTime start, end;
    std::vector<gst::LabelShown> labels;
    std::string text;
  };

  void close(GstClockTime end, std::vector<Cue>& cues);

  std::optional<Open> open_;
  GstClockTime last_start_ = GST_CLOCK_TIME_NONE;
  GstClockTime sent_ = 0;  // end of the last cue that was cut; no cue begins before it
};

}  // namespace bcp::subtitle
