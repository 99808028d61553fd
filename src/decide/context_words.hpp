// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Context words: everyday nouns that compete with the labels for what a picture shows, and are never shown themselves.
// They are what makes "none of these" possible.
//
// Thread safety: immutable.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "decide/prior_table.hpp"

namespace bcp::decide {

// More would cost time in each frame and were measured to be worse (docs/results.md).
inline constexpr std::size_t kMaxContextWords = 1000;

// The words of the table (at most the first 500), and 30 nouns that no table of things needs but pictures are full of.
std::vector<std::string> default_context(const PriorTable& table);

}  // namespace bcp::decide
