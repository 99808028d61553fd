// SPDX-License-Identifier: LGPL-2.1-or-later
// An evaluation as JSON: what `gst-bcp eval --json` writes, and what its page is made from.

#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "eval/results.hpp"

namespace bcp::cli {

nlohmann::ordered_json json_of(const eval::Results& results);
// Indented; invalid UTF-8 in names is replaced.
std::string json_text(const eval::Results& results);

// A list with an object for each line of the table. A column "bcp.logits" is {"bcp":{"logits":...}}.
nlohmann::ordered_json rows_of(const eval::Table& table);

}  // namespace bcp::cli
