// SPDX-License-Identifier: LGPL-2.1-or-later

#include "mqtt/json_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace bcp::mqtt {

void append(std::string& out, const char* string) {
  if (!string) {
    out += "null";
    return;
  }
  using Json = nlohmann::json;
  out += Json(string).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Uses std::to_chars, because printf's decimal point depends on the locale, which gst-launch sets.
void append(std::string& out, double value, int digits) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  std::array<char, 32> text;
  const double plain = value == 0 ? 0 : value;  // no "-0"
  const auto end = std::to_chars(text.data(), text.data() + text.size(), plain, std::chars_format::general, digits);
  out.append(text.data(), end.ptr);
}

void append_seconds(std::string& out, GstClockTime time) {
  if (!GST_CLOCK_TIME_IS_VALID(time)) {
    out += "null";
    return;
  }
  std::array<char, 48> text;
  std::snprintf(text.data(), text.size(), "%" G_GUINT64_FORMAT ".%09" G_GUINT64_FORMAT, time / GST_SECOND,
                time % GST_SECOND);
  out += text.data();
}

}  // namespace bcp::mqtt
