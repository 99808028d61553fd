// SPDX-License-Identifier: LGPL-2.1-or-later
// The repairs of ftfy.fix_text() for well-formed text, without mojibake (fix_encoding) and HTML's character references
// (unescape_html).

#pragma once

#include <string>
#include <string_view>

namespace bcp::tokenize {

// Windows-1252 instead of C1 controls, Latin ligatures, widths, quotes, line breaks, terminal escapes, control
// characters and NFC, repeated until nothing changes. REQUIRES: well-formed UTF-8.
std::string fix_text(std::string_view text);

}  // namespace bcp::tokenize
