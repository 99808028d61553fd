// SPDX-License-Identifier: LGPL-2.1-or-later
// The labels that bcptagger reported for one frame.

#pragma once

#include <gst/gst.h>

#include <optional>
#include <string>
#include <vector>

namespace bcp::cli::run {

struct ShownLabel {
  std::string name;
  double probability = 0;
};

struct Seen {
  std::string source;
  GstClockTime time = GST_CLOCK_TIME_NONE;  // in the stream
  std::vector<ShownLabel> labels;           // likeliest first
  std::string context;                      // the word that matches the frame better than any label; empty: none
};

// From a message on the bus; unset if it is not a bcp-result.
std::optional<Seen> read_seen(GstMessage* message);

// "person 0.93, bicycle 0.41"; "nothing" without labels.
std::string text_of(const std::vector<ShownLabel>& labels);
// The same, with the context word of a frame without labels: "nothing (context: street)".
std::string text_of(const Seen& seen);

}  // namespace bcp::cli::run
