// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a gate posts on the bus besides faults: element messages.
//
//   bcp-gate-opened  source-id, condition, stream-time, running-time: of the buffer that made the condition true;
//                    first-stream-time, first-running-time: of the first buffer that passes, which is earlier with a
//                    pre-roll; labels: an array of `label` structures (name, probability), the labels that made it true
//   bcp-gate-closed  source-id, condition, stream-time, running-time: of the first buffer that does not pass, or of the
//                    last one that came; reason: condition, eos, flush or stop; duration: how long the gate was open;
//                    labels: every label that made the condition true in that time, with its highest probability
//
// Times that are not known are GST_CLOCK_TIME_NONE. bcp-gate-opened is posted before the first buffer passes.
// Call these with no lock held.

#pragma once

#include <gst/gst.h>

#include <string>
#include <vector>

#include "support/labels_shown.hpp"

namespace bcp::gate {

// The PTS of a buffer by the stream and by the pipeline's clock.
struct Position {
  GstClockTime stream_time = GST_CLOCK_TIME_NONE;
  GstClockTime running_time = GST_CLOCK_TIME_NONE;
};
Position position_of(GstClockTime pts, const GstSegment& segment);

using Labels = std::vector<gst::LabelShown>;

void post_opened(GstElement* element, const std::string& source, const std::string& condition, const Position& at,
                 const Position& first, const Labels& labels);
void post_closed(GstElement* element, const std::string& source, const std::string& condition, const Position& at,
                 const char* reason, GstClockTime duration, const Labels& labels);

}  // namespace bcp::gate
