// SPDX-License-Identifier: LGPL-2.1-or-later
// JSON from untrusted files. Use parse_json for every file: nlohmann-json's parser accepts any depth, but copying or
// writing a deep value overflows the stack.

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bcp {

// Parses the text. The error message completes the sentence "FILE is ...": "not valid JSON (...)" with the line, or
// "JSON nested ..."; the caller adds the file and what to do. Values of `skipped` keys, at any level, are checked but
// not kept: a parsed vocabulary takes several times its size.
Result<nlohmann::json> parse_json(std::string_view text, const std::vector<std::string_view>& skipped = {});

// A value for a message: its JSON, shortened.
std::string shown(const nlohmann::json& value);

// The value of `key`, or null if `object` is not an object or has no such key.
const nlohmann::json& value_of(const nlohmann::json& object, const char* key);

// The string at `key`, or empty if it is not a string.
std::string_view text_of(const nlohmann::json& object, const char* key);

// Whether the key is missing or holds null, false or an empty string.
bool is_off(const nlohmann::json& object, const char* key);

}  // namespace bcp
