// SPDX-License-Identifier: LGPL-2.1-or-later
// Which files of a recording are removed, and how long files may be so that this works.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gst-bcp/run/plan/record_options.hpp"
#include "gst-bcp/run/record/index.hpp"

namespace bcp::cli::run {

inline constexpr double kUsualSegment = 300;  // seconds of a file

// The files to remove, oldest recorded first: by their order in the index, so that a clock that was set back does not
// make new files look old. `now`: seconds since 1970. `growing`: bytes of the file that is being written.
std::vector<std::string> surplus(const std::vector<IndexEntry>& entries, const RecordOptions& options, double now,
                                 std::uint64_t growing);

// How long and large a file may become: at most half of what is kept, so that a whole file is always left.
struct SegmentLimits {
  double seconds = kUsualSegment;
  std::optional<std::uint64_t> bytes;
  std::string remark;  // why files are shorter than asked for; empty: they are not
};
SegmentLimits segment_limits(const RecordOptions& options);

}  // namespace bcp::cli::run
