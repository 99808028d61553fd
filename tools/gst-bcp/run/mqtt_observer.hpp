// SPDX-License-Identifier: LGPL-2.1-or-later
// Sends what the cameras of a run see to an MQTT broker, over one connection, and takes new labels from there.

#pragma once

#include <memory>

#include "base/result.hpp"
#include "gst-bcp/run/observer.hpp"
#include "gst-bcp/run/plan/mqtt_options.hpp"

namespace bcp::cli::run {

// Connects in the background: a broker that is away is reported by on_tick(), and tried again. The destructor waits for
// what is queued, at most two seconds. An error is the command line's, or the system refuses a thread.
Result<std::unique_ptr<Observer>> follow_with_mqtt(const MqttOptions& options);

}  // namespace bcp::cli::run
