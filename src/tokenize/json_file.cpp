// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/json_file.hpp"

#include <algorithm>
#include <string>

namespace bcp::tokenize {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 32;

// Counts brackets outside of strings. What is no JSON may count wrong: the parser finds that out.
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

Result<json> parse_json(std::string_view text) try {
  if (is_too_deep(text))
    return Error{ErrorCode::kInvalid, "its JSON is nested more than " + std::to_string(kMaxDepth) +
                                          " levels deep, which no vocabulary is: check the path"};
  return json::parse(text);
} catch (const json::exception& error) {
  const auto* parse_error = dynamic_cast<const json::parse_error*>(&error);
  const std::size_t byte = parse_error ? std::min(parse_error->byte, text.size()) : 0;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte), '\n');
  return Error{ErrorCode::kInvalid, "it is no valid JSON (line " + std::to_string(line) + ", byte " +
                                        std::to_string(byte) + "); it may be cut short: fetch it again"};
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

}  // namespace bcp::tokenize
