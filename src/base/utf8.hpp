// SPDX-License-Identifier: LGPL-2.1-or-later
// Text as code points. Strict, as RFC 3629 has it: no overlong forms, no surrogates, nothing past U+10FFFF.

#pragma once

#include <optional>
#include <string_view>

namespace bcp::utf8 {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;  // how many bytes of the text it takes, 1 to 4
};

// The code point `text` begins with, or nothing where it begins with no valid one. REQUIRES: !text.empty().
std::optional<CodePoint> first(std::string_view text);

// How many bytes from the start are valid; text.size() when all are.
std::size_t valid_prefix(std::string_view text);

// White space by Unicode's list, and what is as invisible at the edge of a word: control characters and U+FEFF.
bool is_space(char32_t code_point);

}  // namespace bcp::utf8
