// SPDX-License-Identifier: LGPL-2.1-or-later
// What a bcppublish says to a broker: each source's results and events, and its labels to Home Assistant.
//
// The connection is made when the first result tells the source's name, because the broker is told at the very
// beginning what to say of us when we are gone, and under which topic; at once when the topic does not depend on it.
//
// Thread safety: one thread at a time; client() may be kept and used from any.

#pragma once

#include <gst/bcp/gstbcpmeta.h>
#include <gst/gst.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "publish/home_assistant.hpp"
#include "publish/mqtt_client.hpp"
#include "publish/settings.hpp"
#include "support/owners.hpp"

namespace bcp::publish {

class MqttPublisher {
 public:
  // News of the connection is posted on the element's bus. Waits for nothing. An error is also a thread that the system
  // does not give; while running, that is one warning, and it is tried again every second in which a message comes.
  static Result<std::unique_ptr<MqttPublisher>> open(GstElement* element, const MqttSettings& settings);

  // None of these waits either; `source` may be empty.
  void result(const std::string& source, std::string line);
  void event(const std::string& source, std::string line);
  void set_labels(const std::string& source, GstBcpLabels* labels);
  void show(const std::string& source, const std::string& label, bool on, double probability);

  // Gives the broker the time that the settings allow, then says good-bye.
  void finish();

  // Nothing before the first result, see above.
  std::shared_ptr<MqttClient> client() const { return client_; }

 private:
  struct Source {
    std::string topic;
    gst::BcpLabelsPtr labels;           // as Home Assistant knows them
    std::optional<HomeAssistant> home;  // when it is to know
  };

  MqttPublisher(GstElement* element, const MqttSettings& settings, MqttOptions options);
  Source& source(const std::string& name);
  Status connect(const std::string& topic);
  void start_again();
  void send(MqttMessage message);

  GstElement* const element_;  // outlives us
  const MqttSettings settings_;
  MqttOptions options_;
  std::shared_ptr<MqttClient> client_;
  std::map<std::string, Source> sources_;
  bool warned_ = false;
  // When to try to start the client again; none: it runs.
  std::optional<std::chrono::steady_clock::time_point> start_at_;
};

}  // namespace bcp::publish
