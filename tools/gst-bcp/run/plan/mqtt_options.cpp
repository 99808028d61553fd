// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/mqtt_options.hpp"

#include <cstdlib>
#include <utility>

#include "mqtt/credentials.hpp"
#include "mqtt/topics.hpp"

namespace bcp::cli::run {
namespace {

// Sentences of this command end without a full stop.
Error usage(std::string sentence) {
  while (sentence.ends_with('.')) sentence.pop_back();
  return {ErrorCode::kInvalid, std::move(sentence)};
}

Status check_topic(const char* option, const std::string& topic) {
  const std::string fault = mqtt::topic_fault(topic);
  if (fault.empty()) return ok();
  return usage(std::string(option) + " '" + topic + "' " + fault + "; choose a plain topic such as gst-bcp/house");
}

// Of the user, from the file or the environment.
Result<std::string> password_of(const MqttOptions& options) {
  if (!options.password_file.empty()) {
    Result<std::string> line = mqtt::read_password("--mqtt-password-file", options.password_file);
    if (!line) return usage(line.error().message);
    return line;
  }
  const char* variable = std::getenv(kMqttPasswordVariable);
  return std::string(variable ? variable : "");
}

}  // namespace

std::string mqtt_topic(const MqttOptions& options) {
  return options.topic.empty() ? kDefaultMqttTopic : options.topic;
}

Result<mqtt::MqttOptions> mqtt_connection(const MqttOptions& options) {
  if (Status able = mqtt::MqttSession::available(); !able) return usage(able.error().message);
  Result<mqtt::MqttAddress> address = mqtt::MqttAddress::parse(options.address, "--mqtt", "--mqtt-topic");
  if (!address) return usage(address.error().message);
  // Every user of the machine can read a command line.
  if (!address->password.empty())
    return usage("--mqtt " + mqtt::without_password(options.address) +
                 " has a password, which other users of this machine can read: put it into a file, and add "
                 "--mqtt-password-file FILE, or into the environment variable " +
                 kMqttPasswordVariable);
  mqtt::MqttOptions made;
  made.address = *std::move(address);
  Result<std::string> password = password_of(options);
  if (!password) return password.error();
  made.address.password = *std::move(password);
  if (!options.password_file.empty() && made.address.username.empty())
    return usage("--mqtt-password-file needs a user name: write it into the address, as in mqtt://user@" +
                 made.address.host);
  if (made.address.username.empty()) made.address.password.clear();  // the environment may have it for another run
  if (!options.ca_file.empty() && !made.address.tls)
    return usage("--mqtt-ca needs TLS: write the address as mqtts://" + made.address.host);
  if (Status there = mqtt::check_pem_file("--mqtt-ca", options.ca_file); !there) return usage(there.error().message);
  if (Status fit = check_topic("--mqtt-topic", mqtt_topic(options)); !fit) return fit.error();
  made.ca_file = options.ca_file;
  made.status_topic = mqtt_topic(options) + "/status";
  if (!options.discovery_prefix.empty()) {
    if (Status fit = check_topic("--mqtt-discovery", options.discovery_prefix); !fit) return fit.error();
    made.birth_topic = options.discovery_prefix + "/status";
  }
  if (options.control) made.command_filters = {mqtt_topic(options) + "/+/labels/set"};
  made.words = {.address = "--mqtt",
                .username = "the user in --mqtt (mqtt://user@host)",
                .password_file = "--mqtt-password-file",
                .client_id = "the broker's settings",
                .ca_file = "--mqtt-ca",
                .tls_files = "--mqtt-ca"};
  if (options.from_file)
    made.words = {.address = "mqtt.address in the file of cameras",
                  .username = "the user in mqtt.address (mqtt://user@host)",
                  .password_file = "mqtt.password-file",
                  .client_id = "the broker's settings",
                  .ca_file = "mqtt.ca",
                  .tls_files = "mqtt.ca"};
  return made;
}

Status check_mqtt(const MqttOptions& options) {
  if (!options.address.empty()) {
    if (Result<mqtt::MqttOptions> fit = mqtt_connection(options); !fit) return fit.error();
    return ok();
  }
  for (const auto& [option, given] : {std::pair("--mqtt-password-file", !options.password_file.empty()),
                                      {"--mqtt-ca", !options.ca_file.empty()},
                                      {"--mqtt-topic", !options.topic.empty()},
                                      {"--mqtt-discovery", !options.discovery_prefix.empty()},
                                      {"--mqtt-images", options.images},
                                      {"--mqtt-control", options.control}})
    if (given)
      return usage(std::string(option) + " needs a broker: add --mqtt ADDRESS, as in --mqtt mqtt://broker.local");
  return ok();
}

}  // namespace bcp::cli::run
