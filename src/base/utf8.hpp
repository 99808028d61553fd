// SPDX-License-Identifier: LGPL-2.1-or-later
// UTF-8 as code points. Strict, see RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.

#pragma once

#include <optional>
#include <string_view>

namespace bcp::utf8 {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;  // its length in the text, 1 to 4
};

// The first code point of `text`, or empty if the text does not begin with a valid one. REQUIRES: !text.empty().
std::optional<CodePoint> first(std::string_view text);

// The number of valid bytes at the start; text.size() if all are valid.
std::size_t valid_prefix(std::string_view text);

// Unicode white space, and characters that are as invisible at the edge of a word: control characters and U+FEFF.
bool is_space(char32_t code_point);

}  // namespace bcp::utf8
