// SPDX-License-Identifier: LGPL-2.1-or-later
// Tells Home Assistant of the labels of one source, so that each becomes a binary sensor of one device.
//
// One retained message a label under PREFIX/binary_sensor/NODE/LABEL/config, as MQTT discovery has had it for years.
// (The newer form, one message for a whole device, needs Home Assistant 2024.11, and grows with the list of labels.)
// The sensor's state is ON or OFF under TOPIC/label/LABEL/state, its probability beside it under .../attributes.
//
// A list of up to `announce` labels is announced as it is. From a longer one a label is announced when it is first
// shown: nobody wants a thousand sensors that never go on.
//
// Knows no MQTT: it says what the broker is to remember. Thread safety: none.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace bcp::publish {

struct HomeAssistantDevice {
  std::string prefix;        // "homeassistant"
  std::string source;        // the device's name
  std::string topic;         // what all of its topics begin with
  std::string status_topic;  // says "online" and "offline"
  std::size_t announce = 50;
};

class HomeAssistant {
 public:
  // Sets what the broker remembers under a topic; nothing: it is to forget.
  using Remember = std::function<void(const std::string& topic, std::string payload)>;

  HomeAssistant(HomeAssistantDevice device, Remember remember);

  // Where the state of the label with this identifier is.
  static std::string state_topic(const std::string& topic, const std::string& id) {
    return topic + "/label/" + id + "/state";
  }

  // The labels there are from now on. Those that are no longer there are taken back, sensor and all.
  void set_labels(const std::vector<std::string>& labels);
  // A label came or went. One that is not among the labels is none of its business.
  void show(const std::string& label, bool on, double probability);

 private:
  struct Topics {
    std::string config, state, attributes;
  };

  const Topics& announce(const std::string& label);

  const HomeAssistantDevice device_;
  const Remember remember_;
  const std::string node_;
  std::set<std::string> labels_;
  std::map<std::string, Topics> announced_;  // by label
};

}  // namespace bcp::publish
