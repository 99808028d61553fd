// SPDX-License-Identifier: LGPL-2.1-or-later
// What bcptagger told about one frame.

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
  std::string context;                      // what explains the frame better than any label; empty: none does
};

// From a message on the bus; none if it is another one than bcp-result.
std::optional<Seen> read_seen(GstMessage* message);

// "person 0.93, bicycle 0.41"; "nothing" if there is none.
std::string told(const std::vector<ShownLabel>& labels);
// The same, and of a frame without labels what it is of: "nothing (context: street)".
std::string told(const Seen& seen);

}  // namespace bcp::cli::run
