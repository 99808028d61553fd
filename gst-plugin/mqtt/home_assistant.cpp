// SPDX-License-Identifier: LGPL-2.1-or-later

#include "mqtt/home_assistant.hpp"

#include <cmath>
#include <utility>

#include "mqtt/home_entity.hpp"
#include "mqtt/mqtt_session.hpp"
#include "mqtt/topics.hpp"

namespace bcp::mqtt {
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string node_of(const HomeAssistantDevice& device) {
  return identifier(device.topic, '/');
}

std::string config_topic(const HomeAssistantDevice& device, const std::string& component, const std::string& id) {
  return device.prefix + "/" + component + "/" + node_of(device) + "/" + id + "/config";
}

std::string entity_config(const HomeAssistantDevice& device, const std::string& id, Json fields,
                          const std::vector<std::string>& status_topics) {
  const std::string node = node_of(device);
  fields["unique_id"] = node + "_" + id;
  if (status_topics.size() == 1) {
    fields["availability_topic"] = status_topics.front();
    fields["payload_available"] = kOnline;
    fields["payload_not_available"] = kOffline;
  } else {
    Json all = Json::array();
    for (const std::string& topic : status_topics)
      all.push_back({{"topic", topic}, {"payload_available", kOnline}, {"payload_not_available", kOffline}});
    fields["availability"] = all;
    fields["availability_mode"] = "all";
  }
  fields["qos"] = 1;
  fields["device"] = {{"identifiers", Json::array({node})},
                      {"name", device.source},
                      {"manufacturer", "gst-bcp"},
                      {"model", "bcptagger"},
                      {"sw_version", VERSION}};
  fields["origin"] = {{"name", "gst-bcp"}, {"sw_version", VERSION}};
  return text_of(fields);
}

HomeAssistant::HomeAssistant(HomeAssistantDevice device, Remember remember)
    : device_(std::move(device)), remember_(std::move(remember)), node_(node_of(device_)) {}

void HomeAssistant::set_labels(const std::vector<std::string>& labels) {
  labels_ = {labels.begin(), labels.end()};
  for (auto it = announced_.begin(); it != announced_.end();) {
    if (labels_.contains(it->first)) {
      ++it;
      continue;
    }
    for (const std::string& topic : {it->second.config, it->second.state, it->second.attributes}) remember_(topic, "");
    it = announced_.erase(it);
  }
  if (labels_.size() > device_.announce) return;
  for (const std::string& label : labels_) announce(label);
}

const HomeAssistant::Topics& HomeAssistant::announce(const std::string& label) {
  const auto known = announced_.find(label);
  if (known != announced_.end()) return known->second;

  const std::string id = identifier(label);
  const Topics& topics =
      announced_
          .emplace(label, Topics{config_topic(device_, "binary_sensor", id), state_topic(device_.topic, id),
                                 device_.topic + "/label/" + id + "/attributes"})
          .first->second;
  const Json config{
      {"name", label},
      {"state_topic", topics.state},
      {"payload_on", kOn},
      {"payload_off", kOff},
      {"json_attributes_topic", topics.attributes},
  };
  remember_(topics.config, entity_config(device_, id, config, device_.status_topics));
  remember_(topics.state, kOff);
  return topics;
}

void HomeAssistant::show(const std::string& label, bool on, double probability) {
  if (!labels_.contains(label)) return;
  const Topics& topics = announce(label);
  remember_(topics.state, on ? kOn : kOff);
  Json attributes{{"label", label}, {"probability", nullptr}};
  if (std::isfinite(probability)) attributes["probability"] = std::round(probability * 1e4) / 1e4;
  remember_(topics.attributes, text_of(attributes));
}

}  // namespace bcp::mqtt
