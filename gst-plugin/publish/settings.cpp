// SPDX-License-Identifier: LGPL-2.1-or-later

#include "publish/settings.hpp"

#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "publish/topics.hpp"

namespace bcp::publish {
namespace {

Error wrong(std::string what) {
  return {ErrorCode::kInvalid, std::move(what)};
}

Status readable(const char* property, const std::string& path) {
  if (path.empty()) return ok();
  errno = 0;
  if (std::ifstream(path, std::ios::binary).peek() != std::char_traits<char>::eof()) return ok();
  const std::string cause = errno != 0 ? std::system_category().message(errno) : "it is empty";
  return wrong(std::string(property) + " '" + path + "' cannot be read (" + cause +
               "); set it to a readable PEM file.");
}

Result<std::string> first_line(const std::string& path) {
  errno = 0;
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line)) {
    const std::string cause = errno != 0 ? std::system_category().message(errno) : "it is empty";
    return wrong("mqtt-password-file '" + path + "' cannot be read (" + cause +
                 "); set it to a file whose first line is the password.");
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

Status check_topic(const char* property, const std::string& topic) {
  const std::string fault = topic_fault(topic);
  if (fault.empty()) return ok();
  return wrong(std::string(property) + " '" + topic + "' " + fault + "; choose a plain topic such as gst-bcp/door.");
}

}  // namespace

Result<MqttOptions> MqttSettings::options() const {
  if (Status able = MqttSession::available(); !able) return able.error();
  Result<MqttAddress> parsed = MqttAddress::parse(address);
  if (!parsed) return parsed.error();
  MqttOptions options{.address = *std::move(parsed),
                      .client_id = client_id,
                      .ca_file = ca_file,
                      .certificate_file = certificate_file,
                      .key_file = key_file,
                      .insecure = insecure,
                      .quality = quality,
                      .keepalive = keepalive,
                      .status_topic = {},
                      .birth_topic = {}};
  // These properties take precedence over the address.
  if (!username.empty()) options.address.username = username;
  if (!password.empty()) options.address.password = password;
  if (!password_file.empty()) {
    Result<std::string> line = first_line(password_file);
    if (!line) return line.error();
    options.address.password = *std::move(line);
  }
  if (!options.address.password.empty() && options.address.username.empty()) {
    return wrong("An MQTT password is set, but no user name; set mqtt-username.");
  }
  if (!options.address.tls && (!ca_file.empty() || !certificate_file.empty() || !key_file.empty())) {
    return wrong(
        "mqtt-ca-file, mqtt-cert-file and mqtt-key-file need TLS, but mqtt-address does not use it; write it as "
        "mqtts://" +
        options.address.host + ".");
  }
  if (certificate_file.empty() != key_file.empty()) {
    return wrong("mqtt-cert-file and mqtt-key-file must be set together; set both, or neither.");
  }
  for (const auto& [property, path] :
       {std::pair("mqtt-ca-file", &ca_file), std::pair("mqtt-cert-file", &certificate_file),
        std::pair("mqtt-key-file", &key_file)}) {
    if (Status there = readable(property, *path); !there) return there.error();
  }
  if (Status fit = check_topic("mqtt-topic", topic_for(topic, "source")); !fit) return fit.error();
  if (!discovery_prefix.empty()) {
    if (Status fit = check_topic("discovery-prefix", discovery_prefix); !fit) return fit.error();
    options.birth_topic = discovery_prefix + "/status";
  }
  return options;
}

}  // namespace bcp::publish
