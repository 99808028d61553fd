// SPDX-License-Identifier: LGPL-2.1-or-later
// Times of day in the names and indices of recordings: always UTC, so that names sort and no hour comes twice.

#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace bcp::cli::run {

using WallTime = std::chrono::system_clock::time_point;

// "2026-11-18T11-28-07Z": for a file name, without colons.
std::string file_stamp(WallTime time);
// "2026-11-18T11:28:07.120Z"
std::string exact_stamp(WallTime time);
// Seconds since 1970.
double unix_seconds(WallTime time);

// Notices when the wall clock is set, by two seconds or more. One thread at a time.
class ClockWatch {
 public:
  // By how much it was set since the last call; 0: it was not. `now`: what it shows.
  std::chrono::duration<double> look(WallTime now);

 private:
  std::optional<std::chrono::nanoseconds> offset_;  // to a clock that is never set
};

}  // namespace bcp::cli::run
