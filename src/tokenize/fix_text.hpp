// SPDX-License-Identifier: LGPL-2.1-or-later
// What ftfy.fix_text() does to well-formed text, but for its repair of mojibake (fix_encoding) and its reading of
// HTML's character references (unescape_html), which are left out.

#pragma once

#include <string>
#include <string_view>

namespace bcp::tokenize {

// Windows-1252 in place of C1 controls, Latin ligatures, widths, quotes, line breaks, terminal escapes, control
// characters and NFC, again and again until nothing changes.
// REQUIRES: well-formed UTF-8.
std::string fix_text(std::string_view text);

}  // namespace bcp::tokenize
