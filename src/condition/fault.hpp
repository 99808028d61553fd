// SPDX-License-Identifier: LGPL-2.1-or-later
// How an error points at a character of a condition. Internal to the parser (condition.hpp).

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bcp::condition {

// "`what` at character 11`more`", the text on a line of its own, and a caret below the character. Characters are code
// points, the first is 1. Of a long text, the part around the caret is shown. REQUIRES: byte <= text.size().
Error fault_at(std::string_view text, std::size_t byte, const std::string& what, const std::string& more = {});

// The number of the character that begins at `byte`.
std::size_t character_at(std::string_view text, std::size_t byte);

}  // namespace bcp::condition
