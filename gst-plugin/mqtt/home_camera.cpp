// SPDX-License-Identifier: LGPL-2.1-or-later

#include "mqtt/home_camera.hpp"

#include "mqtt/home_entity.hpp"
#include "mqtt/mqtt_session.hpp"

namespace bcp::mqtt {
namespace {

// Two underscores: identifier() never makes them, so that no label has the same identifier.
constexpr char kConnection[] = "camera__connection", kEvents[] = "camera__events", kImage[] = "camera__image",
               kLabels[] = "camera__labels";

std::string cut_template() {
  const std::string most = std::to_string(kLongestHomeText), kept = std::to_string(kLongestHomeText - 1);
  return "{{ value if value | length <= " + most + " else value[:" + kept + "] ~ '" + std::string(kCutMark) + "' }}";
}

}  // namespace

void announce_camera(const HomeAssistantDevice& device, const std::string& run_status_topic,
                     const CameraEntities& wanted, const HomeAssistant::Remember& remember) {
  const CameraTopics topics(device.topic);
  const Json connection{{"name", "Connection"},    {"state_topic", topics.status},   {"payload_on", kOnline},
                        {"payload_off", kOffline}, {"device_class", "connectivity"}, {"entity_category", "diagnostic"}};
  remember(config_topic(device, "binary_sensor", kConnection),
           entity_config(device, kConnection, connection, {run_status_topic}));
  const Json events{
      {"name", "Events"}, {"state_topic", topics.event}, {"event_types", Json::array({kAppeared, kDisappeared})}};
  remember(config_topic(device, "event", kEvents), entity_config(device, kEvents, events, device.status_topics));
  const Json image{{"name", "Newest event"}, {"image_topic", topics.image}, {"content_type", "image/jpeg"}};
  remember(config_topic(device, "image", kImage),
           wanted.image ? entity_config(device, kImage, image, device.status_topics) : "");
  const Json labels{{"name", "Labels"},
                    {"command_topic", topics.labels_command},
                    {"state_topic", topics.labels},
                    {"value_template", cut_template()},
                    {"json_attributes_topic", topics.labels_attributes},
                    {"max", kLongestHomeText},
                    {"entity_category", "config"}};
  remember(config_topic(device, "text", kLabels),
           wanted.labels ? entity_config(device, kLabels, labels, device.status_topics) : "");
}

std::string label_list(const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) {
    if (!text.empty()) text += ", ";
    for (const char c : label) {
      if (c == ',' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text;
}

}  // namespace bcp::mqtt
