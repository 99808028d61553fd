// SPDX-License-Identifier: LGPL-2.1-or-later
// Ctrl-C and similar signals: once to finish, twice to stop.

#pragma once

#include <functional>
#include <memory>

namespace bcp::cli::run {

// While it exists, SIGINT, SIGTERM and SIGHUP are handled: the first calls `finish`, the second `stop`, both from the
// default main loop. Signals within 0.3 s count as one. If the main loop is too busy for the second (a model is being
// loaded), incomplete files are removed and the program ends. With `reload`, SIGHUP calls that instead, from the
// default main loop, each time.
class Signals {
 public:
  Signals(std::function<void()> finish, std::function<void()> stop, std::function<void()> reload = {});
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bcp::cli::run
