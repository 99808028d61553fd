// SPDX-License-Identifier: LGPL-2.1-or-later
// The page about a job that has ended.

#pragma once

#include "base/result.hpp"
#include "gst-bcp/run/pipeline/job.hpp"
#include "gst-bcp/run/plan/request.hpp"

namespace bcp::cli::run {

// Writes the page and gives it its name.
Status write_report(const Request& request, Job& job);

}  // namespace bcp::cli::run
