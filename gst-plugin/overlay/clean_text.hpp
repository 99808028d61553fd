// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Text from outside (labels, names of streams) made fit to be drawn on one line.

#pragma once

#include <string>
#include <string_view>

namespace bcp::overlay {

// Valid UTF-8 without control characters, line breaks and marks that turn the direction of the text around them; runs
// of white space become one space, and a text past `most` characters is cut. What joins emoji and letters (U+200C,
// U+200D) stays. Never markup: whoever draws it draws it literally.
std::string clean_text(std::string_view text, std::size_t most = 120);

}  // namespace bcp::overlay
