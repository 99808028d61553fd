// SPDX-License-Identifier: LGPL-2.1-or-later
// Announces the labels of one source to Home Assistant (MQTT discovery): each label is a binary sensor of one device.
//
// Each label has one retained message under PREFIX/binary_sensor/NODE/LABEL/config. (The newer form, one message for a
// whole device, needs Home Assistant 2024.11 and grows with the list of labels.) The state of the sensor is ON or OFF
// under TOPIC/label/LABEL/state, its probability is under TOPIC/label/LABEL/attributes.
//
// A list of up to `announce` labels is announced at once. From a longer list, a label is announced when it is first
// shown, because a thousand sensors that are never on are of no use.
//
// Does not use MQTT itself: it calls a function with the retained messages. Thread safety: none.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace bcp::mqtt {

struct HomeAssistantDevice {
  std::string prefix;                      // "homeassistant"
  std::string source;                      // the device's name
  std::string topic;                       // the prefix of all its topics
  std::vector<std::string> status_topics;  // carry "online" or "offline"; the device is available if all are online
  std::size_t announce = 50;
};

class HomeAssistant {
 public:
  // Sets the retained message of a topic; an empty payload deletes it.
  using Remember = std::function<void(const std::string& topic, std::string payload)>;

  HomeAssistant(HomeAssistantDevice device, Remember remember);

  // The topics under which labels are announced, as a filter.
  std::string config_filter() const { return device_.prefix + "/binary_sensor/" + node_ + "/+/config"; }
  bool announces_all() const { return labels_.size() <= device_.announce; }

  // The state topic of the label with this identifier.
  static std::string state_topic(const std::string& topic, const std::string& id) {
    return topic + "/label/" + id + "/state";
  }

  // Sets the labels. The sensors of labels that are no longer listed are deleted.
  void set_labels(const std::vector<std::string>& labels);
  // A label was shown or hidden. Ignores labels that are not listed.
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

}  // namespace bcp::mqtt
