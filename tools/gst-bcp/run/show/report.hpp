// SPDX-License-Identifier: LGPL-2.1-or-later
// The page about a job that has ended.

#pragma once

#include "gst-bcp/common/worker.hpp"
#include "gst-bcp/run/pipeline/job.hpp"
#include "gst-bcp/run/plan/request.hpp"

namespace bcp::cli::run {

// Writes the page of a job that has ended, and gives it its name. That takes up to a minute (thumbnails), so call it on
// a worker. It does not use the job: the page's file is moved out of the task.
Worker::Work report_work(const Request& request, Job& job);

}  // namespace bcp::cli::run
