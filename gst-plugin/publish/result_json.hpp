// SPDX-License-Identifier: LGPL-2.1-or-later
// A result as one line of JSON:
//
//   {"version":2,"source":"cam","pts":1.234000000,"utc":"2026-01-01T12:00:00.000000Z","inference_pts":1.200000000,
//    "region":null,"decision":"presence","threshold":0.5,"calibrated":true,"context":{"word":"street","weight":0.41},
//    "anchor":{"label":"car","probability":0.88},"samples":412,
//    "labels":[{"label":"car","shown":true,"probability":0.97,"softmax":0.91,"prior":0.62,"evidence":3.1,"logit":27.1,
//               "zero_shot":27.1,"correction":0,"zero_shot_softmax":0.88,"zero_shot_shown":true}]}
//
// `decision` is "presence" or "softmax"; with "softmax", `probability` is the softmax, and `prior`, `evidence` and
// `context` are null. `context` is also null when a label explains the frame best. Version 1 had no `decision`: there
// `probability` was the softmax, and `zero_shot_softmax` was called `zero_shot_probability`.
//
// Always valid JSON: a number that is not finite is null, and bytes that are not UTF-8 are replaced by U+FFFD. Times
// have nine decimals, samples up to two, all other numbers six significant digits; the decimal separator is a point in
// every locale. `source` is null if the result has no source id, `anchor` if no label reached anchor-confidence or the
// correction uses no anchor.

#pragma once

#include <gst/bcp/gstbcpmeta.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bcp::publish {

// The times in the line.
struct ResultTimes {
  GstClockTime pts = GST_CLOCK_TIME_NONE;            // stream time of the buffer
  GstClockTime inference_pts = GST_CLOCK_TIME_NONE;  // stream time of the frame that was scored
  std::int64_t utc_us = 0;                           // microseconds since 1970
};

// Composes lines. Reuses its memory for the next line.
class ResultJson {
 public:
  // The line lists the labels that are shown, or that plain CLIP would show, most likely first; all labels with
  // `all_labels`. The reference is valid until the next call.
  const std::string& compose(const GstBcpResult* result, const ResultTimes& times, bool all_labels);

 private:
  std::string line_;
  std::vector<guint> order_;
};

}  // namespace bcp::publish
