// SPDX-License-Identifier: LGPL-2.1-or-later
// A run from end to end: all jobs of a request, what is shown of them, and how it ends.

#pragma once

#include "base/result.hpp"
#include "gst-bcp/run/plan/request.hpp"

namespace bcp::cli::run {

inline constexpr int kInterruptedCode = 130;  // as shells tell a Ctrl-C

// Runs the request; returns the exit code. Whatever went wrong has been told.
int run_session(const Request& request);

}  // namespace bcp::cli::run
