// SPDX-License-Identifier: LGPL-2.1-or-later
// An evaluation for people: tables as wide as the terminal allows, and a sentence about them.

#pragma once

#include <cstddef>
#include <iosfwd>

#include "eval/figures.hpp"
#include "eval/results.hpp"

namespace bcp::cli {

struct TerminalStyle {
  eval::Ranking first = eval::Ranking::kLogits;  // printed before the other
  std::size_t width = 100;                       // columns; a wider table is split by ranking
};

// The width of standard output's terminal, or 100.
std::size_t terminal_columns();

void print_results(std::ostream& out, const eval::Results& results, const TerminalStyle& style);

}  // namespace bcp::cli
