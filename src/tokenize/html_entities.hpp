// SPDX-License-Identifier: LGPL-2.1-or-later
// HTML's character references, read in the two ways CLIP's cleaning reads them.

#pragma once

#include <string>
#include <string_view>

namespace bcp::tokenize {

// As browsers and Python's html.unescape() do: the semicolon may be missing, the longest known name counts ("&notit"
// is "¬it"), numbers of windows-1252 mean its characters, and numbers of no character mean none or U+FFFD.
std::string unescape_html(std::string_view text);

// As ftfy does before anything else: only what ends in a semicolon, and also names in capitals ("&EACUTE;"). Replaces
// in `text`, once; what comes out may be a reference again.
enum class Unescaped { kNothing, kAmpersands, kOther };  // kAmpersands: nothing but "&" came out
Unescaped unescape_strictly(std::string& text);

// What the C1 control character `byte` (0x80 to 0x9F) is in windows-1252; itself where that has nothing.
char32_t from_windows_1252(char32_t byte);

}  // namespace bcp::tokenize
