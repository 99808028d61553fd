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
};

// From a message on the bus; none if it is another one than bcp-result.
std::optional<Seen> read_seen(GstMessage* message);

// "person 0.93, bicycle 0.41"; "nothing" if there is none.
std::string told(const std::vector<ShownLabel>& labels);

}  // namespace bcp::cli::run
