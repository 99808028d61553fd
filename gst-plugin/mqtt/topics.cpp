// SPDX-License-Identifier: LGPL-2.1-or-later

#include "mqtt/topics.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "base/utf8.hpp"

namespace bcp::mqtt {
namespace {

constexpr std::string_view kSource = "{source}";
constexpr std::size_t kLongestIdentifier = 48;
constexpr std::size_t kLongestLevel = 200;  // bytes; the limit of a whole topic is 65535

bool fits(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

// FNV-1a: the same value on every machine and in every version.
std::uint32_t hash(std::string_view text) {
  std::uint32_t h = 2166136261U;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619U;
  return h;
}

std::string hexadecimal(std::uint32_t number) {
  std::array<char, 16> digits;
  std::snprintf(digits.data(), digits.size(), "%08x", number);
  return digits.data();
}

// Whether one level of a topic may contain `c`. libmosquitto refuses control characters and Unicode noncharacters.
bool fits_a_level(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
  const bool noncharacter = (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF);
  return !control && !noncharacter && c != '/' && c != '+' && c != '#';
}

// One level of a topic.
std::string level(std::string_view text) {
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const auto c = utf8::first(rest);
    const std::size_t bytes = c ? c->bytes : 1;
    if (out.size() + bytes > kLongestLevel) return out + "-" + hexadecimal(hash(text));
    c&& fits_a_level(c->value) ? out += rest.substr(0, bytes) : out += '-';
    rest.remove_prefix(bytes);
  }
  return out.empty() ? "-" : out;
}

}  // namespace

bool names_source(std::string_view pattern) {
  return pattern.find(kSource) != pattern.npos;
}

std::string topic_for(std::string_view pattern, std::string_view source) {
  std::string topic;
  while (true) {
    const auto at = pattern.find(kSource);
    topic += pattern.substr(0, at);
    if (at == pattern.npos) return topic;
    topic += level(source);
    if (topic.starts_with('$')) topic[0] = '-';  // reserved for the broker
    pattern.remove_prefix(at + kSource.size());
  }
}

std::string topic_fault(std::string_view topic) {
  if (topic.empty()) return "is empty";
  if (topic.find_first_of("+#") != topic.npos) return "contains + or #, which are wildcards for subscribers";
  if (topic.starts_with('$')) return "begins with $, which is reserved for the broker";
  if (topic.ends_with('/')) return "ends with /";
  if (topic.size() > 1000) return "is longer than 1000 bytes";
  if (utf8::valid_prefix(topic) != topic.size()) return "is not UTF-8";
  for (const char c : topic) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return "contains control characters";
  }
  return {};
}

bool topic_matches(std::string_view filter, std::string_view topic) {
  while (true) {
    const auto filter_end = filter.find('/'), topic_end = topic.find('/');
    if (filter.substr(0, filter_end) != "+" && filter.substr(0, filter_end) != topic.substr(0, topic_end)) return false;
    if (filter_end == filter.npos || topic_end == topic.npos) return filter_end == topic_end;
    filter.remove_prefix(filter_end + 1);
    topic.remove_prefix(topic_end + 1);
  }
}

std::string identifier(std::string_view text, char space) {
  std::string out;
  bool faithful = !text.empty() && text.size() <= kLongestIdentifier;
  for (const char c : text) {
    if (fits(c)) {
      out += c;
      continue;
    }
    const bool lower = c >= 'A' && c <= 'Z';
    faithful &= c == space;
    if (lower) {
      out += static_cast<char>(c - 'A' + 'a');
    } else if (!out.ends_with('_')) {
      out += '_';
    } else {
      faithful = false;
    }
  }
  if (faithful) return out;
  out.resize(std::min(out.size(), kLongestIdentifier));
  while (out.ends_with('_')) out.pop_back();
  return out + "_" + hexadecimal(hash(text));
}

}  // namespace bcp::mqtt
