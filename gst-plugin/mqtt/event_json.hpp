// SPDX-License-Identifier: LGPL-2.1-or-later
// A label that appeared or disappeared, as one line of JSON.

#pragma once

#include <gst/gst.h>

#include <string>

#include "decide/events.hpp"

namespace bcp::mqtt {

// A line for a label that appeared or disappeared at stream time `pts`:
//
//   {"event":"label-off","source":"cam","label":"car","pts":4.200000000,"start":1.200000000,"end":4.200000000,
//    "duration":3,"probability":0.61,"peak":0.97,"mean":0.84}
//
// `end` and `duration` are null in label-on; unknown times are null. `probability`, `peak` and `mean` are of the
// results that showed the label (decide/events.hpp).
std::string event_line(const decide::Event& event, const std::string& source, GstClockTime pts);

}  // namespace bcp::mqtt
