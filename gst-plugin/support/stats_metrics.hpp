// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The `stats` of taggers as Prometheus reads them: which number is which metric. The one place that says so, for
// `metrics-file` and for what gst-bcp serves.
//
// Thread safety: none.

#pragma once

#include <gst/gst.h>

#include <set>
#include <string>

#include "base/prometheus.hpp"

namespace bcp::gst {

// Names for the streams of one text: those that came first, or those with a number to tell them apart. Two series of
// one name would make Prometheus refuse the whole text.
class SourceNames {
 public:
  std::string take(const std::string& source);

 private:
  std::set<std::string> taken_;
};

// Adds the numbers of one stream. `stats` is as the property gives it; fields it lacks are left out.
// REQUIRES: no other stream of the text has this name.
void add_stats(prometheus::Exposition& exposition, const std::string& source, const GstStructure* stats);

}  // namespace bcp::gst
