// SPDX-License-Identifier: LGPL-2.1-or-later
// MQTT topics and Home Assistant identifiers, made from arbitrary text.

#pragma once

#include <string>
#include <string_view>

namespace bcp::mqtt {

// `pattern` with {source} replaced by the source as one level: / + # and control characters become -, and so does a $
// at the start of the topic. A source that is too long is cut and ends in a hash.
std::string topic_for(std::string_view pattern, std::string_view source);
bool names_source(std::string_view pattern);

// Why the topic is invalid; empty if it is valid.
std::string topic_fault(std::string_view topic);

// Whether a topic matches a filter, in which + stands for one level. (Filters with # are not used here.)
bool topic_matches(std::string_view filter, std::string_view topic);

// A unique identifier of a-z 0-9 - _ for `text`. Text of lower-case letters, digits and `space` stays readable
// ("traffic light": traffic_light); from other text, invalid characters are removed and a hash of the text is added.
std::string identifier(std::string_view text, char space = ' ');

}  // namespace bcp::mqtt
