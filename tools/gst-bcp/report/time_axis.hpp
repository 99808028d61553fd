// SPDX-License-Identifier: LGPL-2.1-or-later
// When each result of a stream is valid: from its time until the time of the next one.

#pragma once

#include "gst-bcp/report/results.hpp"

namespace bcp::cli::report {

// The kind of times of a stream: stream time if every result has one and it increases; else the clock; else results are
// numbered, one "second" each.
enum class TimeAxis { kPts, kClock, kNumber };

// Sets the times of `stream`, whose first moments.front().time may be any. If time jumps back (a loop, a seek), the
// rest is appended. A result before a gap (five times the usual distance, and two seconds) lasts as long as usual.
// REQUIRES: the stream has a result.
TimeAxis lay_out(Stream& stream);

}  // namespace bcp::cli::report
