// SPDX-License-Identifier: LGPL-2.1-or-later
// Unicode's white space for a character class of PCRE2.

#pragma once

#include <string_view>

namespace bcp::tokenize {

// \s in full: in PCRE2 it does not contain U+0085.
inline constexpr std::string_view kWhiteSpaceRanges =
    R"(\x{09}-\x{0D}\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";

}  // namespace bcp::tokenize
