// SPDX-License-Identifier: LGPL-2.1-or-later
// Ctrl-C and similar signals, for work that polls whether to stop: the first sets a flag, the second ends the program.
// timeout(1) and a closing terminal signal the program and then its group, so a signal right after the first counts as
// the same one. Signals that nohup(1) ignores stay ignored.

#pragma once

#include <array>
#include <csignal>

namespace bcp::cli {

// While it exists, SIGINT, SIGTERM and SIGHUP are handled. One object at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Whether a signal came since the last Interrupt was made. Any thread.
  static bool came();

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_;
};

}  // namespace bcp::cli
