// SPDX-License-Identifier: LGPL-2.1-or-later
// The summary of all results, label by label.

#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "gst-bcp/common/table.hpp"
#include "gst-bcp/run/pipeline/seen.hpp"

namespace bcp::cli::run {

class Tally {
 public:
  void add(const Seen& seen);
  void add(const Tally& other);

  std::size_t results() const { return results_; }
  bool has_labels() const { return !labels_.empty(); }
  // Instead of an empty table: "no label was shown in 10 results; context: street in 80 %".
  std::string nothing_seen() const;
  // A table, most frequent label first. Times are omitted for pictures and for several streams.
  std::vector<Row> table(bool with_times) const;

 private:
  struct Count {
    std::size_t results = 0;
    double highest = 0;
    GstClockTime first = GST_CLOCK_TIME_NONE, last = GST_CLOCK_TIME_NONE;
  };

  std::size_t results_ = 0;
  std::map<std::string, Count> labels_;
  std::map<std::string, std::size_t> contexts_;  // of results without labels
};

}  // namespace bcp::cli::run
