// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/record/retention.hpp"

#include <algorithm>

#include "base/number_text.hpp"

namespace bcp::cli::run {

std::vector<std::string> surplus(const std::vector<IndexEntry>& entries, const RecordOptions& options, double now,
                                 std::uint64_t growing) {
  std::uint64_t total = growing;
  for (const IndexEntry& entry : entries) total += entry.bytes;
  std::vector<std::string> removed;
  for (const IndexEntry& entry : entries) {
    const bool too_old = options.keep_for && entry.start + entry.seconds < now - *options.keep_for;
    const bool too_much = options.keep_bytes && total > *options.keep_bytes;
    if (!too_old && !too_much) continue;
    removed.push_back(entry.file);
    total -= entry.bytes;
  }
  return removed;
}

SegmentLimits segment_limits(const RecordOptions& options) {
  SegmentLimits limits;
  limits.seconds = options.segment.value_or(kUsualSegment);
  if (options.keep_bytes) limits.bytes = *options.keep_bytes / 2;
  if (options.keep_for && *options.keep_for < limits.seconds) {
    const double shorter = std::max(2.0, *options.keep_for / 2);
    limits.remark = "--record-keep-for " + number_text("%g", *options.keep_for) + " is less than a file of " +
                    number_text("%g s", limits.seconds) + ": files of " + number_text("%g s", shorter) + " are written";
    limits.seconds = shorter;
  }
  return limits;
}

}  // namespace bcp::cli::run
