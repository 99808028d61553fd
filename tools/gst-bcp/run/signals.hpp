// SPDX-License-Identifier: LGPL-2.1-or-later
// Ctrl-C and its like: once to finish, twice to stop.

#pragma once

#include <functional>
#include <memory>

namespace bcp::cli::run {

// While it lives, SIGINT, SIGTERM and SIGHUP are taken: the first calls `finish`, the second `stop`, both from the
// default main loop. Those that come within 0.3 s of each other are one. If that is too busy to answer a second one (a
// model is being loaded), parts of files are removed and the program ends.
class Signals {
 public:
  Signals(std::function<void()> finish, std::function<void()> stop);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bcp::cli::run
