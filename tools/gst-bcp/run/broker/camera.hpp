// SPDX-License-Identifier: LGPL-2.1-or-later
// One camera on the broker: its state, its labels, events and pictures, and its device in Home Assistant.
//
// Thread safety: none. Nothing here waits: messages are queued in the client.

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "decide/events.hpp"
#include "gst-bcp/run/pipeline/seen.hpp"
#include "gst-bcp/run/plan/mqtt_options.hpp"
#include "mqtt/home_assistant.hpp"
#include "mqtt/home_camera.hpp"
#include "mqtt/mqtt_client.hpp"

namespace bcp::cli::run {

class BrokerCamera {
 public:
  // `name` is that of the camera, never its address. Announces it; until set_there(true) it is "offline".
  // REQUIRES: `client` outlives this; rules.send.
  BrokerCamera(mqtt::MqttClient& client, const MqttOptions& options, MqttRules rules, const std::string& name);

  const std::string& topic() const { return topic_; }
  const mqtt::CameraTopics& topics() const { return topics_; }
  // Whether a picture of each event is sent; whether labels from the broker are accepted.
  bool sends_images() const { return images_; }
  bool is_controlled() const { return control_; }

  // The camera is connected, or lost: then no label is shown.
  void set_there(bool there);
  // The labels in use.
  void set_labels(const std::vector<std::string>& labels);
  bool has_labels() const { return labels_.has_value(); }
  // Labels from the broker were not accepted.
  void refuse_labels(const std::string& sentence);
  // A new result. Returns whether a label appeared.
  bool see(const Seen& seen);
  void set_image(std::string jpeg);

 private:
  using Wall = std::chrono::system_clock;

  void send_events(const std::vector<decide::Event>& events);
  void send_labels();
  bool is_sent(const std::string& label) const;

  mqtt::MqttClient& client_;
  const std::string name_, topic_;
  const mqtt::CameraTopics topics_;
  const std::vector<std::string> only_;  // the labels whose events are sent; empty: all
  const bool images_, control_;
  std::optional<mqtt::HomeAssistant> home_;  // only with discovery
  std::optional<std::vector<std::string>> labels_;
  std::string refusal_;  // why the newest list was not accepted; empty: it was
  decide::EventTracker tracker_;
  std::map<std::string, Wall::time_point> since_;  // the shown labels
  GstClockTime now_ = GST_CLOCK_TIME_NONE;         // stream time of the newest result
  std::optional<bool> there_;
};

}  // namespace bcp::cli::run
