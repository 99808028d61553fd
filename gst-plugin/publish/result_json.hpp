// SPDX-License-Identifier: LGPL-2.1-or-later
// A result as one line of JSON:
//
//   {"version":1,"source":"cam","pts":1.234000000,"utc":"2026-01-01T12:00:00.000000Z","inference_pts":1.200000000,
//    "region":null,"anchor":{"label":"car","probability":0.91},"samples":412,
//    "labels":[{"label":"car","shown":true,"probability":0.91,"logit":27.1,"zero_shot":27.1,"correction":0,
//               "zero_shot_probability":0.88,"zero_shot_shown":true}]}
//
// Always valid JSON, whatever the result holds: a number that is not finite is null, and bytes that are not UTF-8 are
// replaced by U+FFFD. Times have nine decimals, samples up to two, all other numbers six significant digits; the
// decimal point is a point in every locale. `source` is null when the result names none, `anchor` when no label was
// sure enough, or the method that corrects has none.

#pragma once

#include <gst/bcp/gstbcpmeta.h>

#include <cstdint>
#include <string>
#include <vector>

#include "decide/events.hpp"

namespace bcp::publish {

// What the line says about the buffer that carried the result.
struct ResultTimes {
  GstClockTime pts = GST_CLOCK_TIME_NONE;            // stream time of the buffer
  GstClockTime inference_pts = GST_CLOCK_TIME_NONE;  // stream time of the frame that was scored
  std::int64_t utc_us = 0;                           // microseconds since 1970
};

// Composes lines. It keeps its memory from one line to the next.
class ResultJson {
 public:
  // The labels that are shown, by the corrected probability or by plain CLIP's, likeliest first; all of them when
  // `all_labels`. The reference is valid until the next call.
  const std::string& compose(const GstBcpResult* result, const ResultTimes& times, bool all_labels);

 private:
  std::string line_;
  std::vector<guint> order_;
};

// A label that came or went at stream time `pts`, as a line of its own:
//
//   {"event":"label-off","source":"cam","label":"car","pts":4.200000000,"duration":3}
//
// `duration` is null when the label came, and when it is not known how long it was there.
std::string event_line(const decide::Event& event, const std::string& source, GstClockTime pts);

}  // namespace bcp::publish
