// SPDX-License-Identifier: LGPL-2.1-or-later

#include "mqtt/event_json.hpp"

#include <cmath>
#include <utility>

#include "mqtt/json_text.hpp"

namespace bcp::mqtt {

std::string event_line(const decide::Event& event, const std::string& source, GstClockTime pts) {
  std::string line = event.on ? "{\"event\":\"label-on\",\"source\":" : "{\"event\":\"label-off\",\"source\":";
  append(line, source.empty() ? nullptr : source.c_str());
  line += ",\"label\":";
  append(line, event.label.c_str());
  line += ",\"pts\":";
  append_seconds(line, pts);
  for (const auto& [key, value] : {std::pair(",\"start\":", event.start), {",\"end\":", event.end}}) {
    line += key;
    append_seconds(line, value ? static_cast<GstClockTime>(std::llround(*value * GST_SECOND)) : GST_CLOCK_TIME_NONE);
  }
  line += ",\"duration\":";
  event.duration ? append(line, *event.duration, 9) : append(line, nullptr);
  line += ",\"probability\":";
  append(line, event.probability);
  line += ",\"peak\":";
  append(line, event.peak);
  line += ",\"mean\":";
  append(line, event.mean);
  line += '}';
  return line;
}

}  // namespace bcp::mqtt
