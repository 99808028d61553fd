// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Cleans external text (labels, names of streams) so that it can be drawn on one line.

#pragma once

#include <string>
#include <string_view>

namespace bcp::overlay {

// Valid UTF-8 without control characters, line breaks and marks that change the text direction. Runs of white space
// become one space; text longer than `most` characters is cut. Joiners of emoji and letters (U+200C, U+200D) are kept.
// Markup is not escaped: draw the result as plain text.
std::string clean_text(std::string_view text, std::size_t most = 120);

}  // namespace bcp::overlay
