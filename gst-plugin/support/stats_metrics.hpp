// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Converts the `stats` of taggers to Prometheus metrics, for `metrics-file` and for the HTTP server of gst-bcp.
//
// Thread safety: none.

#pragma once

#include <gst/gst.h>

#include <set>
#include <string>

#include "base/prometheus.hpp"

namespace bcp::gst {

// Unique names for the streams of one text: a name that is already used gets a number. Two series with the same name
// would make Prometheus reject the whole text.
class SourceNames {
 public:
  std::string take(const std::string& source);

 private:
  std::set<std::string> taken_;
};

// Adds the metrics of one stream. `stats` is the value of the property; missing fields are left out.
// REQUIRES: no other stream of the text has this name.
void add_stats(prometheus::Exposition& exposition, const std::string& source, const GstStructure* stats);

}  // namespace bcp::gst
