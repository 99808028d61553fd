// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Context words: everyday nouns that compete with the labels but are never shown. They make "none of these labels"
// possible.
//
// Thread safety: immutable.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "decide/prior_table.hpp"

namespace bcp::decide {

// More words cost time in each frame and gave worse results (docs/results.md).
inline constexpr std::size_t kMaxContextWords = 1000;

// The words of the table (at most the first 500), and 30 more nouns that are common in pictures.
std::vector<std::string> default_context(const PriorTable& table);

}  // namespace bcp::decide
