// SPDX-License-Identifier: LGPL-2.1-or-later
// Names that people type: compared without ASCII case, and by edit distance.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bcp {

// Converts ASCII letters to lower case; independent of the locale.
std::string lower(std::string_view text);

// Levenshtein distance in bytes: good enough to suggest the right spelling.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace bcp
