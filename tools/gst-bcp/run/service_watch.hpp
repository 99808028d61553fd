// SPDX-License-Identifier: LGPL-2.1-or-later
// What a service manager learns about a run: that it is ready, how its inputs are, and that it is alive.
//
// Main thread; the watchdog's signs of life come from the default main loop, so that they stop when it hangs.

#pragma once

#include <glib.h>

#include <map>
#include <string>

#include "gst-bcp/run/pipeline/job.hpp"
#include "gst-bcp/run/service.hpp"

namespace bcp::cli::run {

class ServiceWatch {
 public:
  ServiceWatch() = default;
  ~ServiceWatch();
  ServiceWatch(const ServiceWatch&) = delete;
  ServiceWatch& operator=(const ServiceWatch&) = delete;

  // The inputs run, or a reload is complete. From then on the watchdog gets signs of life.
  void ready();
  void reloading() { service_.reloading(); }
  void stopping() { service_.stopping(); }

  // How an input is; `reporting`: it has ended, and its page is being made.
  void note(const std::string& source, const Standing& standing, bool reporting);
  // The input has ended.
  void forget(const std::string& source);
  // Sends the status of the inputs, if it has changed.
  void report();

 private:
  void ping();

  Service service_;
  Pulse pulse_;
  std::map<std::string, bool> connected_;  // by input
  guint timer_ = 0;
};

}  // namespace bcp::cli::run
