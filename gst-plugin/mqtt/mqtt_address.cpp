// SPDX-License-Identifier: LGPL-2.1-or-later

#include "mqtt/mqtt_address.hpp"

#include <charconv>
#include <optional>

namespace bcp::mqtt {
namespace {

// The parts of scheme://user:password@host:port/rest, as views into the text. Missing parts are empty.
struct Parts {
  std::string_view scheme, user, password, place, rest;
};

Parts split(std::string_view text) {
  Parts parts;
  if (const auto end = text.find("://"); end != text.npos) {
    parts.scheme = text.substr(0, end);
    text.remove_prefix(end + 3);
  }
  // The last @: earlier ones belong to a password in which @ was not written as %40.
  if (const auto at = text.rfind('@'); at != text.npos) {
    parts.user = text.substr(0, at);
    if (const auto colon = parts.user.find(':'); colon != parts.user.npos) {
      parts.password = parts.user.substr(colon + 1);
      parts.user = parts.user.substr(0, colon);
    }
    text.remove_prefix(at + 1);
  }
  const auto slash = text.find('/');
  parts.place = text.substr(0, slash);
  if (slash != text.npos) parts.rest = text.substr(slash + 1);
  return parts;
}

std::string decoded(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    int value = 0;
    if (text[0] == '%' && text.size() >= 3) {
      const auto [end, fault] = std::from_chars(text.data() + 1, text.data() + 3, value, 16);
      if (fault == std::errc() && end == text.data() + 3) {
        out += static_cast<char>(value);
        text.remove_prefix(3);
        continue;
      }
    }
    out += text[0];
    text.remove_prefix(1);
  }
  return out;
}

std::optional<int> port_number(std::string_view text) {
  int port = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (fault != std::errc() || end != text.data() + text.size() || port < 1 || port > 65535) return std::nullopt;
  return port;
}

}  // namespace

std::string MqttAddress::place() const {
  const bool v6 = host.find(':') != host.npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<MqttAddress> MqttAddress::parse(std::string_view text, const std::string& address_name,
                                       const std::string& topic_name) {
  const auto wrong = [text, &address_name](const std::string& what) {
    return Error{ErrorCode::kInvalid, address_name + " '" + without_password(text) + "' " + what +
                                          "; write it as mqtt://host, mqtt://host:1883 or mqtts://host:8883."};
  };
  const Parts parts = split(text);
  MqttAddress address;
  if (parts.scheme == "mqtts") {
    address.tls = true;
    address.port = 8883;
  } else if (parts.scheme != "mqtt") {
    return wrong(parts.scheme.empty() ? "does not begin with mqtt:// or mqtts://"
                                      : "begins with neither mqtt:// nor mqtts://");
  }
  if (!parts.rest.empty()) return wrong("has a path; topics are set with " + topic_name);

  std::string_view host = parts.place, port;
  if (host.starts_with('[')) {
    const auto end = host.find(']');
    if (end == host.npos) return wrong("has no closing ]");
    port = host.substr(end + 1);
    host = host.substr(1, end - 1);
    if (!port.empty() && !port.starts_with(':')) return wrong("has text between ] and the port");
  } else if (const auto colon = host.find(':'); colon != host.npos) {
    port = host.substr(colon);
    host = host.substr(0, colon);
    if (port.find(':', 1) != port.npos) return wrong("has an IPv6 address without [ ]");
  }
  if (host.empty()) return wrong("has no host");
  if (!port.empty()) {
    const auto number = port_number(port.substr(1));
    if (!number) return wrong("has a port that is not a number from 1 to 65535");
    address.port = *number;
  }
  address.host = host;
  address.username = decoded(parts.user);
  address.password = decoded(parts.password);
  return address;
}

std::string without_password(std::string_view address) {
  const Parts parts = split(address);
  // Without a host, the text after the colon may be a password.
  const auto colon = parts.place.find(':');
  if (parts.user.empty() && !parts.place.starts_with('[') && colon != parts.place.npos &&
      parts.place.find_first_not_of("0123456789:", colon) != parts.place.npos) {
    return std::string(address.substr(0, static_cast<std::size_t>(parts.place.data() + colon - address.data())));
  }
  if (parts.password.empty()) return std::string(address);
  const auto begin = static_cast<std::size_t>(parts.password.data() - address.data());
  std::string shown(address.substr(0, begin - 1));  // the colon too
  return shown.append(address.substr(begin + parts.password.size()));
}

}  // namespace bcp::mqtt
