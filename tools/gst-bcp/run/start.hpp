// SPDX-License-Identifier: LGPL-2.1-or-later
// Starts a run: checks the command line or the file of cameras, plans the inputs, and opens what the run writes and
// serves.

#pragma once

#include "gst-bcp/run/plan/request.hpp"

namespace bcp::cli::run {

// Returns when all inputs have ended. The result is the exit code.
int start_run(const Request& request);

}  // namespace bcp::cli::run
