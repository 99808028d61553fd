// SPDX-License-Identifier: LGPL-2.1-or-later
// Ctrl-C and its like, for work that ends by itself once it knows: the first is noted, the second ends the program.
// timeout(1) tells a program and then its group, a terminal that closes does the same: what comes right after the first
// is the same one. What nohup(1) has switched off stays off.

#pragma once

#include <array>
#include <csignal>

namespace bcp::cli {

// While it lives, SIGINT, SIGTERM and SIGHUP are taken. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Whether one came since the last of these was made. Any thread.
  static bool came();

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_;
};

}  // namespace bcp::cli
