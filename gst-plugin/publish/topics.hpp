// SPDX-License-Identifier: LGPL-2.1-or-later
// Names in MQTT topics and in Home Assistant, made from what people call things.

#pragma once

#include <string>
#include <string_view>

namespace bcp::publish {

// `pattern` with {source} replaced by the source, which may not reach into the topic's structure: / + # and control
// characters become -, and so does a $ at the very beginning. One that is too long is cut, and ends in a hash.
std::string topic_for(std::string_view pattern, std::string_view source);
bool names_source(std::string_view pattern);

// Nothing is wrong with the topic, or what is.
std::string topic_fault(std::string_view topic);

// An identifier of a-z 0-9 - _ that no other text has. Text of lower-case letters, digits and `space` keeps its looks
// ("traffic light": traffic_light); in any other, what does not fit is left out, and a hash of the whole is added.
std::string identifier(std::string_view text, char space = ' ');

}  // namespace bcp::publish
