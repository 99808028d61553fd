// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers in sentences and tables.

#pragma once

#include <cstddef>
#include <string>

namespace bcp {

// The number in a printf format for one double, such as "%.2f": at most 63 characters of it.
std::string number_text(const char* format, double number);

// "1 picture", "2 pictures", "0 pictures".
std::string counted(std::size_t count, const std::string& noun);

}  // namespace bcp
