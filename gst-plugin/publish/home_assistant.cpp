// SPDX-License-Identifier: LGPL-2.1-or-later

#include "publish/home_assistant.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "publish/mqtt_session.hpp"
#include "publish/topics.hpp"

namespace bcp::publish {
namespace {

using Json = nlohmann::ordered_json;

// Labels may contain any bytes; JSON must be UTF-8.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

HomeAssistant::HomeAssistant(HomeAssistantDevice device, Remember remember)
    : device_(std::move(device)), remember_(std::move(remember)), node_(identifier(device_.topic, '/')) {}

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
          .emplace(label, Topics{device_.prefix + "/binary_sensor/" + node_ + "/" + id + "/config",
                                 state_topic(device_.topic, id), device_.topic + "/label/" + id + "/attributes"})
          .first->second;
  const Json about{{"name", "gst-bcp"}, {"sw_version", VERSION}};
  const Json config{
      {"name", label},
      {"unique_id", node_ + "_" + id},
      {"state_topic", topics.state},
      {"payload_on", kOn},
      {"payload_off", kOff},
      {"json_attributes_topic", topics.attributes},
      {"availability_topic", device_.status_topic},
      {"payload_available", kOnline},
      {"payload_not_available", kOffline},
      {"qos", 1},
      {"device",
       {{"identifiers", Json::array({node_})},
        {"name", device_.source},
        {"manufacturer", "gst-bcp"},
        {"model", "bcptagger"},
        {"sw_version", VERSION}}},
      {"origin", about},
  };
  remember_(topics.config, text_of(config));
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

}  // namespace bcp::publish
