// SPDX-License-Identifier: LGPL-2.1-or-later

#include "publish/settings.hpp"

#include <utility>

#include "mqtt/credentials.hpp"
#include "mqtt/topics.hpp"

namespace bcp::publish {
namespace {

Error wrong(std::string what) {
  return {ErrorCode::kInvalid, std::move(what)};
}

Status check_topic(const char* property, const std::string& topic) {
  const std::string fault = mqtt::topic_fault(topic);
  if (fault.empty()) return ok();
  return wrong(std::string(property) + " '" + topic + "' " + fault + "; choose a plain topic such as gst-bcp/door.");
}

}  // namespace

Result<mqtt::MqttOptions> MqttSettings::options() const {
  if (Status able = mqtt::MqttSession::available(); !able) return able.error();
  Result<mqtt::MqttAddress> parsed = mqtt::MqttAddress::parse(address);
  if (!parsed) return parsed.error();
  mqtt::MqttOptions options{.address = *std::move(parsed),
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
    Result<std::string> line = mqtt::read_password("mqtt-password-file", password_file);
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
    if (Status there = mqtt::check_pem_file(property, *path); !there) return there.error();
  }
  if (Status fit = check_topic("mqtt-topic", mqtt::topic_for(topic, "source")); !fit) return fit.error();
  if (!discovery_prefix.empty()) {
    if (Status fit = check_topic("discovery-prefix", discovery_prefix); !fit) return fit.error();
    options.birth_topic = discovery_prefix + "/status";
  }
  return options;
}

}  // namespace bcp::publish
