// SPDX-License-Identifier: LGPL-2.1-or-later
// Where an MQTT broker is: mqtt://[user[:password]@]host[:port], or mqtts:// for TLS.

#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bcp::publish {

struct MqttAddress {
  bool tls = false;
  std::string host;
  int port = 1883;
  std::string username, password;

  // "host:port", as people read it.
  std::string place() const;

  // Errors never tell a password.
  static Result<MqttAddress> parse(std::string_view text);
};

// `address` with its password left out, whether or not it is a good address.
std::string without_password(std::string_view address);

}  // namespace bcp::publish
