// SPDX-License-Identifier: LGPL-2.1-or-later
// A run from start to end: all jobs of a request, their progress, and the exit code.

#pragma once

#include "base/result.hpp"
#include "gst-bcp/run/plan/request.hpp"

namespace bcp::cli::run {

inline constexpr int kInterruptedCode = 130;  // as shells report Ctrl-C

// Runs the request; returns the exit code. Errors have been shown.
int run_session(const Request& request);

}  // namespace bcp::cli::run
