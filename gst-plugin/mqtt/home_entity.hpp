// SPDX-License-Identifier: LGPL-2.1-or-later
// The configuration of one entity of Home Assistant (MQTT discovery), as JSON.

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mqtt/home_assistant.hpp"

namespace bcp::mqtt {

using Json = nlohmann::ordered_json;

// Labels may contain any bytes; JSON must be UTF-8.
std::string text_of(const Json& json);

// The identifier of the device.
std::string node_of(const HomeAssistantDevice& device);
// Where the entity is announced; `component` is Home Assistant's name of its kind: binary_sensor, event.
std::string config_topic(const HomeAssistantDevice& device, const std::string& component, const std::string& id);

// The fields that all entities of the device have, beside `fields`: identifiers, device, origin, and the topics that
// decide whether the entity is available.
std::string entity_config(const HomeAssistantDevice& device, const std::string& id, Json fields,
                          const std::vector<std::string>& status_topics);

}  // namespace bcp::mqtt
