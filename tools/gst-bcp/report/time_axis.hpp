// SPDX-License-Identifier: LGPL-2.1-or-later
// When each result of a stream holds: from its time until the next one's.

#pragma once

#include "gst-bcp/report/results.hpp"

namespace bcp::cli::report {

// What the times of a stream are. Stream time where every result has one and it goes on; else the clock; else results
// are merely numbered, a "second" each.
enum class TimeAxis { kPts, kClock, kNumber };

// Sets the times of `stream`, whose first moments.front().time may be any. Where time jumps back (a loop, a seek), what
// follows is put behind. A result before a gap (five times the usual distance, and two seconds) lasts as long as usual.
// REQUIRES: the stream has a result.
TimeAxis lay_out(Stream& stream);

}  // namespace bcp::cli::report
