// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/json.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace bcp {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 32;  // several times the depth of any format read here
constexpr std::size_t kMaxReason = 200, kMaxShown = 60;

// Shortens long text, never within a character.
std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  return std::string(text.substr(0, utf8::valid_prefix(text.substr(0, most - 3)))) + "...";
}

// Counts brackets outside of strings. The count may be wrong for invalid JSON, which the parser rejects.
bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

Result<json> parse_json(std::string_view text, const std::vector<std::string_view>& skipped) try {
  if (is_too_deep(text))
    return Error{ErrorCode::kInvalid, "JSON nested more than " + std::to_string(kMaxDepth) + " levels deep"};
  if (skipped.empty()) return json::parse(text);
  return json::parse(text, [&](int, json::parse_event_t event, json& value) {
    return event != json::parse_event_t::key ||
           std::find(skipped.begin(), skipped.end(), value.get_ref<const std::string&>()) == skipped.end();
  });
} catch (const json::exception& error) {
  // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
  std::string_view reason = error.what();
  if (const std::size_t tag = reason.find("] "); tag != std::string_view::npos) reason.remove_prefix(tag + 2);
  return Error{ErrorCode::kInvalid, "not valid JSON (" + shortened(reason, kMaxReason) + ")"};
}

std::string shown(const json& value) {
  return shortened(value.dump(-1, ' ', false, json::error_handler_t::replace), kMaxShown);
}

const json& value_of(const json& object, const char* key) {
  static const json null;
  if (!object.is_object()) return null;
  const auto found = object.find(key);
  return found == object.end() ? null : *found;
}

std::string_view text_of(const json& object, const char* key) {
  const json& value = value_of(object, key);
  return value.is_string() ? std::string_view(value.get_ref<const std::string&>()) : std::string_view();
}

bool is_off(const json& object, const char* key) {
  const json& value = value_of(object, key);
  return value.is_null() || value == false || value == "";
}

}  // namespace bcp
