// SPDX-License-Identifier: LGPL-2.1-or-later
// One command: its options, and the function that runs it.

#pragma once

#include <functional>

#include "base/result.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace bcp::cli {

struct Command {
  CLI::App* app = nullptr;  // owned by the program's
  // Called once, after parsing, if this command was typed. Results go to standard output; the sentence of an error is
  // shown by the program.
  std::function<Status()> run;
  // Called instead of run(), for a command with more exit codes than done and failed: returns the exit code, after
  // showing its errors.
  std::function<int()> run_to_code = {};
};

}  // namespace bcp::cli
