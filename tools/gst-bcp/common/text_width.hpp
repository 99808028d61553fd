// SPDX-License-Identifier: LGPL-2.1-or-later
// How wide a text is on a terminal: wide characters take two columns, combining ones none.

#pragma once

#include <string>

namespace bcp::cli {

// REQUIRES, of both: valid UTF-8 without control characters (printable() of support/table.hpp makes it so).
int width_of(const std::string& text);
// The text if it fits, else its beginning and `more`, say "…".
std::string fitted(const std::string& text, int columns, const std::string& more);

}  // namespace bcp::cli
