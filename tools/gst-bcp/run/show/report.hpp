// SPDX-License-Identifier: LGPL-2.1-or-later
// The page about a job that has ended.

#pragma once

#include "base/result.hpp"
#include "gst-bcp/run/pipeline/job.hpp"
#include "gst-bcp/run/request.hpp"

namespace bcp::cli::run {

// Puts what the page needs into the job's pipeline: results, and what was learnt, in files beside the page.
// REQUIRES: find_plugin(); the task has a page.
void prepare_report(Task& task);

// Writes the page and gives it its name.
Status write_report(const Request& request, Job& job);

}  // namespace bcp::cli::run
