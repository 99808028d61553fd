// SPDX-License-Identifier: LGPL-2.1-or-later
// For builds without libmosquitto: every connection is an error.

#include "mqtt/mqtt_session.hpp"

namespace bcp::mqtt {

struct MqttSession::Impl {};

Status MqttSession::available() {
  return Error{
      ErrorCode::kUnsupported,
      "An MQTT broker is set, but this build has no MQTT support: install libmosquitto-dev, then configure with "
      "-Dmqtt=enabled and build again."};
}

Result<std::unique_ptr<MqttSession>> MqttSession::open(const MqttOptions&) {
  return available().error();
}

MqttSession::MqttSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MqttSession::~MqttSession() = default;
Status MqttSession::wait(int, std::chrono::milliseconds) {
  return available();
}
bool MqttSession::connected() const {
  return false;
}
Result<int> MqttSession::publish(const MqttMessage&) {
  return available().error();
}
std::vector<int> MqttSession::acknowledged() {
  return {};
}
void MqttSession::recall(const std::string&) {}
std::vector<MqttMessage> MqttSession::recalled() {
  return {};
}
std::vector<MqttMessage> MqttSession::commands() {
  return {};
}
bool MqttSession::reborn() {
  return false;
}
void MqttSession::disconnect() {}

}  // namespace bcp::mqtt
