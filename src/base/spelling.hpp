// SPDX-License-Identifier: LGPL-2.1-or-later
// Names that people type: compared without ASCII case, and by how much they differ.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bcp {

// ASCII letters in lower case, everything else as it is, whatever the locale.
std::string lower(std::string_view text);

// Levenshtein's distance in bytes: good enough to point at a misspelling.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The names that `wanted` may be a misspelling or a part of, whatever the case of ASCII letters: their indices in
// `names`, nearest first, at most `most`.
std::vector<std::size_t> similar(std::string_view wanted, std::span<const std::string> names, std::size_t most);

}  // namespace bcp
