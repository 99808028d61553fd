// SPDX-License-Identifier: LGPL-2.1-or-later
// Text in columns, for people. Never coloured.

#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace bcp::cli {

using Row = std::vector<std::string>;

// Every column is as wide as its widest cell; the last cell of a row may be longer. Texts from files are made
// printable().
void print_table(std::ostream& out, const std::vector<Row>& rows);

// The same with numbers: the first column to the left, all others to the right.
void print_numbers(std::ostream& out, const std::vector<Row>& rows);
// How wide that is.
std::size_t numbers_width(const std::vector<Row>& rows);

// The text with "?" for control characters and invalid UTF-8: a name in a file must not control the terminal.
std::string printable(std::string_view text);

// "16.2 MB": powers of 1000, as disks and downloads are counted.
std::string bytes_for_people(std::uintmax_t bytes);

}  // namespace bcp::cli
