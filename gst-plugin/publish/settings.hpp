// SPDX-License-Identifier: LGPL-2.1-or-later
// The values behind the properties of a bcppublish.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "mqtt/mqtt_session.hpp"
#include "mqtt/outbox.hpp"

namespace bcp::publish {

struct MqttSettings {
  std::string address;  // with its password, never log or return it; empty: no MQTT
  std::string topic = "gst-bcp/{source}";
  std::string username, password, password_file;
  std::string client_id;
  std::string ca_file, certificate_file, key_file;
  bool insecure = false;
  int quality = 1;
  int keepalive = 60;  // seconds
  bool retain = false;
  unsigned queue_size = 1000;
  mqtt::DropPolicy drop_policy = mqtt::DropPolicy::kOldest;
  std::chrono::nanoseconds flush_timeout = std::chrono::seconds(2);
  std::string discovery_prefix;  // empty: no discovery
  unsigned discovery_labels = 50;

  // The options of a connection, except its topics. Reads the password file. Errors name the invalid property.
  Result<mqtt::MqttOptions> options() const;
};

struct Settings {
  // Read at start.
  std::optional<std::string> location;  // not set: standard output, or no file if there is a broker
  bool append = false;
  MqttSettings mqtt;

  // Read for each result.
  bool all_labels = false;
  bool events = false;

  bool has_broker() const { return !mqtt.address.empty(); }
  bool writes() const { return location || !has_broker(); }
};

}  // namespace bcp::publish
