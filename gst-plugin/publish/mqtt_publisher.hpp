// SPDX-License-Identifier: LGPL-2.1-or-later
// Publishes the results and events of each source to an MQTT broker, and the labels to Home Assistant.
//
// The last will is part of the connection, and its topic may contain the source's name. So the client connects at once
// if the topic does not contain {source}, else at the first result.
//
// Thread safety: one thread at a time; the object of client() may be used from any thread.

#pragma once

#include <gst/bcp/gstbcpmeta.h>
#include <gst/gst.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "mqtt/home_assistant.hpp"
#include "mqtt/mqtt_client.hpp"
#include "publish/settings.hpp"
#include "support/owners.hpp"

namespace bcp::publish {

class MqttPublisher {
 public:
  // Changes of the connection are posted on the element's bus. Does not wait. Returns an error for invalid settings, or
  // if the thread cannot be started. If that happens later, one warning is posted, and each message retries the start,
  // at most once per second.
  static Result<std::unique_ptr<MqttPublisher>> open(GstElement* element, const MqttSettings& settings);

  // These do not wait either; `source` may be empty.
  void result(const std::string& source, std::string line);
  void event(const std::string& source, std::string line);
  void set_labels(const std::string& source, GstBcpLabels* labels);
  void show(const std::string& source, const std::string& label, bool on, double probability);

  // Waits for queued messages, at most flush_timeout of the settings, then disconnects.
  void finish();

  // May be null before the first result, see above.
  std::shared_ptr<mqtt::MqttClient> client() const { return client_; }

 private:
  struct Source {
    std::string topic;
    gst::BcpLabelsPtr labels;                 // as announced to Home Assistant
    std::optional<mqtt::HomeAssistant> home;  // only with discovery_prefix
  };

  MqttPublisher(GstElement* element, const MqttSettings& settings, mqtt::MqttOptions options);
  Source& source(const std::string& name);
  Status connect(const std::string& topic);
  void start_again();
  void send(mqtt::MqttMessage message);

  GstElement* const element_;  // outlives this
  const MqttSettings settings_;
  mqtt::MqttOptions options_;
  std::shared_ptr<mqtt::MqttClient> client_;
  std::map<std::string, Source> sources_;
  bool warned_ = false;
  // When to retry starting the client; not set: it runs.
  std::optional<std::chrono::steady_clock::time_point> start_at_;
};

}  // namespace bcp::publish
