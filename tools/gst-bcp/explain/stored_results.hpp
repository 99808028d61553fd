// SPDX-License-Identifier: LGPL-2.1-or-later
// Explanations of results that were stored: the JSON lines of bcppublish, versions 1 and 2.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/explain/explanation.hpp"

namespace bcp::cli::explain {

// A time as given. "12.4" means every time that is 12.4 when rounded to tenths.
struct TypedTime {
  std::string text;
  double seconds = 0;
  double tolerance = 0;  // half a unit of its last digit
};

// Seconds, or minutes and seconds ("1:02.5"), or hours ("1:00:02.5"). nullopt: anything else.
std::optional<TypedTime> parse_time(const std::string& text);

// The results of the file at `time`: the nearest within its tolerance, one for each source and region there, in the
// order of the file. An error names the file, the nearest times, and what to do.
Result<std::vector<Explanation>> explain_stored(const std::string& path, const TypedTime& time);

// For a file without a time: an error that lists the available times.
Error ask_for_time(const std::string& path);

}  // namespace bcp::cli::explain
