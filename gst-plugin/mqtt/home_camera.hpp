// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera as Home Assistant sees it, beside its labels: whether it is connected, its events, a picture of the newest
// event, and its list of labels, which can be changed there.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mqtt/home_assistant.hpp"

namespace bcp::mqtt {

// The topics of a camera, beside those of its labels.
struct CameraTopics {
  explicit CameraTopics(const std::string& topic)
      : status(topic + "/status"),
        event(topic + "/event"),
        image(topic + "/image"),
        labels(topic + "/labels"),
        labels_command(topic + "/labels/set"),
        labels_attributes(topic + "/labels/attributes") {}

  std::string status, event, image, labels, labels_command, labels_attributes;
};

// The values of `event_type` in events.
inline constexpr char kAppeared[] = "appeared", kDisappeared[] = "disappeared";

// Home Assistant accepts no longer text as a state: it shows a longer list cut, with this mark at its end.
inline constexpr std::size_t kLongestHomeText = 255;
inline constexpr std::string_view kCutMark = "\u2026";

struct CameraEntities {
  bool image = false;
  bool labels = false;
};

// Announces the entities, and deletes those that are not wanted, which an earlier run may have announced.
// `run_status_topic` is "online" while the program runs: it decides whether the state of the camera is known.
void announce_camera(const HomeAssistantDevice& device, const std::string& run_status_topic,
                     const CameraEntities& wanted, const HomeAssistant::Remember& remember);

// A list of labels as the property `labels` takes it: "dog, cat\\, black".
std::string label_list(const std::vector<std::string>& labels);

}  // namespace bcp::mqtt
