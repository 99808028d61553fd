// SPDX-License-Identifier: LGPL-2.1-or-later
// What the page's script reads: everything found about the results, as JSON. page/data.js is its reader.

#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gst-bcp/report/changes.hpp"
#include "gst-bcp/report/prior_matrix.hpp"
#include "gst-bcp/report/results.hpp"
#include "gst-bcp/report/thumbnails.hpp"
#include "gst-bcp/report/time_axis.hpp"
#include "gst-bcp/report/timeline.hpp"

namespace bcp::cli::report {

// All data about one stream.
struct StreamFindings {
  const Stream* stream = nullptr;
  TimeAxis axis = TimeAxis::kPts;
  Timeline timeline;
  Changes changes;
};

nlohmann::ordered_json stream_json(const StreamFindings& findings, const std::vector<std::string>& labels,
                                   const Prior* prior);
nlohmann::ordered_json prior_json(const Prior& prior, const std::vector<std::string>& wanted);
nlohmann::ordered_json thumbnails_json(const ThumbnailSheet& sheet);

}  // namespace bcp::cli::report
