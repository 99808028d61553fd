// SPDX-License-Identifier: LGPL-2.1-or-later
// JSON that somebody else wrote. Every file's goes through parse_json: nlohmann-json's own parser reads any depth, but
// copying or writing what it read takes stack by the level, and a file of brackets would end the program.

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bcp {

// Parsed, or an error whose message completes the sentence "FILE is ...": "not valid JSON (...)", with the line, or
// "JSON nested ...". The caller adds the file and the way out. The values of `skipped` keys, wherever they are, are
// checked but not kept: a vocabulary takes several times its size.
Result<nlohmann::json> parse_json(std::string_view text, const std::vector<std::string_view>& skipped = {});

// A value for a message: its JSON, or the beginning of it.
std::string shown(const nlohmann::json& value);

// The value of `key`, or null where `object` is none or lacks it.
const nlohmann::json& value_of(const nlohmann::json& object, const char* key);

// The string that the key holds, or nothing where it holds something else.
std::string_view text_of(const nlohmann::json& object, const char* key);

// Whether the key is missing or holds null, false or an empty string.
bool is_off(const nlohmann::json& object, const char* key);

}  // namespace bcp
