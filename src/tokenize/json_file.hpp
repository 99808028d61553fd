// SPDX-License-Identifier: LGPL-2.1-or-later
// JSON that somebody else wrote.

#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/result.hpp"

namespace bcp::tokenize {

// Parsed, or an error that names the line. Nesting deeper than any vocabulary's is one too: it would cost far more
// memory than the file has bytes.
Result<nlohmann::json> parse_json(std::string_view text);

// The value of `key`, or null where `object` is none or lacks it.
const nlohmann::json& value_of(const nlohmann::json& object, const char* key);

// The string that the key holds, or nothing where it holds something else.
std::string_view text_of(const nlohmann::json& object, const char* key);

// Whether the key is missing or holds null, false or an empty string.
bool is_off(const nlohmann::json& object, const char* key);

}  // namespace bcp::tokenize
