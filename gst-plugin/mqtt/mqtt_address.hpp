// SPDX-License-Identifier: LGPL-2.1-or-later
// The address of an MQTT broker: mqtt://[user[:password]@]host[:port], or mqtts:// for TLS.

#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bcp::mqtt {

struct MqttAddress {
  bool tls = false;
  std::string host;
  int port = 1883;
  std::string username, password;

  // "host:port", for messages.
  std::string place() const;

  // Errors never contain a password.
  // `address` and `topic` are the names of these settings, for errors.
  static Result<MqttAddress> parse(std::string_view text, const std::string& address = "mqtt-address",
                                   const std::string& topic = "mqtt-topic");
};

// `address` without its password, also if the address is invalid.
std::string without_password(std::string_view address);

}  // namespace bcp::mqtt
