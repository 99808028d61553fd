// SPDX-License-Identifier: LGPL-2.1-or-later
// Serves the metrics of a run, for --metrics.

#pragma once

#include <memory>

#include "base/result.hpp"
#include "gst-bcp/common/http_server.hpp"
#include "gst-bcp/run/pipeline/metrics.hpp"
#include "gst-bcp/run/plan/request.hpp"

namespace bcp::cli::run {

// Serves the metrics at the request's address; null: no address was given. `metrics` outlives the server.
Result<std::unique_ptr<HttpServer>> serve_metrics(const Request& request, const RunMetrics& metrics);

}  // namespace bcp::cli::run
