// SPDX-License-Identifier: LGPL-2.1-or-later
// Names that people type: compared without ASCII case, and by edit distance.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bcp {

// Converts ASCII letters to lower case; independent of the locale.
std::string lower(std::string_view text);

// Levenshtein distance in bytes: good enough to suggest the right spelling.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The names that `wanted` may be a misspelling or a part of, whatever the case of ASCII letters: their indices in
// `names`, nearest first, at most `most`.
std::vector<std::size_t> similar(std::string_view wanted, std::span<const std::string> names, std::size_t most);

}  // namespace bcp
