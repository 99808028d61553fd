// SPDX-License-Identifier: LGPL-2.1-or-later
// The options of a whole run, from the top of a file of cameras: results, metrics, live page, broker, certificates.

#pragma once

#include "gst-bcp/run/config/paths.hpp"
#include "gst-bcp/run/config/section.hpp"
#include "gst-bcp/run/plan/request.hpp"

namespace bcp::cli::run {

// Adds to the request what the file has; what the request has already, from the command line, stays.
void read_run_options(const Section& top, const Paths& paths, Request& request);

}  // namespace bcp::cli::run
