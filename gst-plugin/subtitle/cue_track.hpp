// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns labels shown frame by frame into cues: a text, from when, until when.
//
// A cue lasts as long as the same labels are shown; while none are there are gaps. How long a cue lasts is known only
// when it ends, so it is told then, and whoever waits for it (a muxer) has to wait: `max_duration` limits how long. A
// cue that reaches it is cut, and the next one goes on with the same labels.
//
// Frames come in the order they are shown in. A frame that is earlier than the last one begins anew.
//
// Thread safety: none.

#pragma once

#include <gst/gst.h>

#include <optional>
#include <string>
#include <vector>

#include "support/labels_shown.hpp"

namespace bcp::subtitle {

// How cues are made.
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
  GstClockTime duration = 0;  // or what it probably is
  std::vector<gst::LabelShown> labels;
};

class CueTrack {
 public:
  // What is known now that this frame came, oldest first. A cue is cut at `limit` already where that is shorter than
  // the settings' own.
  std::vector<Cue> add(LabelledFrame frame, const CueSettings& settings, GstClockTime limit = GST_CLOCK_TIME_NONE);

  // The part of a cue that is still open, up to the end of the last frame; the cue goes on after it.
  std::optional<Cue> cut();

  // How much of an open cue has not been told.
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
  GstClockTime told_ = 0;  // end of the last cue that was cut; no cue begins before it
};

}  // namespace bcp::subtitle
