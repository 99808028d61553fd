// SPDX-License-Identifier: LGPL-2.1-or-later
// The frame around every command: parsing, help, errors and exit codes.
//
// Exit codes: 0 success; 1 failure, and one sentence on standard error, "gst-bcp: ...", says why and what to do;
// 2 the command line was wrong; 130 Ctrl-C ended it.

#pragma once

#include <string>
#include <vector>

#include "gst-bcp/common/command.hpp"

namespace bcp::cli {

inline constexpr int kDone = 0, kFailed = 1, kUsage = 2, kInterrupted = 130;

// A group of commands: `gst-bcp model ...`.
CLI::App& add_group(CLI::App& app, const std::string& name, const std::string& description);

// Parses and runs the command that was given; returns the exit code.
int run_program(CLI::App& app, const std::vector<Command>& commands, int argc, char** argv);

// Shows the sentence and returns kFailed.
int say_failure(const std::string& sentence);

}  // namespace bcp::cli
