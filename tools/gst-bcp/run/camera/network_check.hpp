// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether a server can be reached at all: one TCP connection that is closed at once. For the explanation of a
// connection that has failed, because rtspsrc reports neither an unknown host nor a refused connection as such.

#pragma once

#include <gio/gio.h>

#include <functional>
#include <memory>

#include "gst-bcp/run/plan/camera_fault.hpp"

namespace bcp::cli::run {

// Calls back once, from the default main loop, within three seconds for each address of the host; after its destruction
// nothing is called. Belongs to the main thread.
class NetworkCheck {
 public:
  using Done = std::function<void(Reach)>;
  NetworkCheck(const Endpoint& server, Done done);
  ~NetworkCheck();
  NetworkCheck(const NetworkCheck&) = delete;
  NetworkCheck& operator=(const NetworkCheck&) = delete;

 private:
  struct Shared;
  const std::shared_ptr<Shared> shared_;  // with GLib, until it has answered
};

}  // namespace bcp::cli::run
