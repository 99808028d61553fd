// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers as text.

#pragma once

#include <cstddef>
#include <string>

namespace bcp {

// Formats the number with a printf format for one double, such as "%.2f"; at most 63 characters.
std::string number_text(const char* format, double number);

// "1 picture", "2 pictures", "0 pictures".
std::string counted(std::size_t count, const std::string& noun);

}  // namespace bcp
