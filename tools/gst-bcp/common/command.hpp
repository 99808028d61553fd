// SPDX-License-Identifier: LGPL-2.1-or-later
// One command: what is typed, and what is done then.

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
  // In its place, for a command that has more to tell than done or failed: returns the exit code, and has shown
  // whatever went wrong.
  std::function<int()> run_to_code = {};
};

}  // namespace bcp::cli
