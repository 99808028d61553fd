// SPDX-License-Identifier: LGPL-2.1-or-later
// The broker that gets what is seen: --mqtt and its companions, checked.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "mqtt/mqtt_session.hpp"

namespace bcp::cli::run {

struct MqttOptions {
  std::string address;           // mqtt://user@host:port or mqtts://…; empty: none
  std::string password_file;     // of the user; empty: the environment's, or none
  std::string ca_file;           // PEM file of the trusted authorities; empty: the system's
  std::string topic;             // the first part of all topics; empty: the default
  std::string discovery_prefix;  // of Home Assistant; empty: no discovery
  bool images = false;           // send a picture of each event
  bool control = false;          // accept new labels from the broker
  bool from_file = false;        // the address is that of a file of cameras: errors name its keys

  bool operator==(const MqttOptions&) const = default;
};

// What of one camera is sent.
struct MqttRules {
  bool send = true;                 // false: nothing
  std::optional<bool> images;       // unset: as the run
  std::optional<bool> control;      // unset: as the run
  std::vector<std::string> labels;  // events and sensors of these labels only; empty: of all

  bool operator==(const MqttRules&) const = default;
};

inline constexpr char kDefaultMqttTopic[] = "gst-bcp";
// The variable that has the password, unless there is a password file.
inline constexpr char kMqttPasswordVariable[] = "GST_BCP_MQTT_PASSWORD";

// The first part of all topics.
std::string mqtt_topic(const MqttOptions& options);

// The connection of the run: its last will makes all cameras unavailable. Reads the password. An error is the command
// line's and names the option. REQUIRES: there is an address.
Result<mqtt::MqttOptions> mqtt_connection(const MqttOptions& options);

// Whether the options fit together, also without an address.
Status check_mqtt(const MqttOptions& options);

}  // namespace bcp::cli::run
