// SPDX-License-Identifier: LGPL-2.1-or-later
// A run, from its first input to the end of the last.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gst-bcp/run/config/config.hpp"
#include "gst-bcp/run/observer.hpp"
#include "gst-bcp/run/pipeline/metrics.hpp"
#include "gst-bcp/run/pipeline/results_file.hpp"
#include "gst-bcp/run/plan/request.hpp"
#include "gst-bcp/run/plan/task.hpp"

namespace bcp::cli::run {

inline constexpr int kInterruptedCode = 130;  // as shells report Ctrl-C

struct SessionSetup {
  std::vector<Task> tasks;
  ResultsFile results;
  std::vector<std::unique_ptr<Observer>> observers;
  std::optional<Config> config;  // of a run with a file of cameras
};

// Returns when all inputs have ended. The result is the exit code. `given`: the command line alone, without the file of
// cameras. REQUIRES: find_plugin(); SIGPIPE is ignored.
int run_session(const Request& request, const Request& given, SessionSetup setup, RunMetrics& metrics);

}  // namespace bcp::cli::run
