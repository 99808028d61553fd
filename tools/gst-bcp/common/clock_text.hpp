// SPDX-License-Identifier: LGPL-2.1-or-later
// A time of a stream as people read it.

#pragma once

#include <gst/gst.h>

#include <string>

namespace bcp::cli {

// "1:02:03", "0:07"; with tenths "0:07.4".
std::string clock_text(GstClockTime time, bool tenths = false);

}  // namespace bcp::cli
