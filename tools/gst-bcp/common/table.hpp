// SPDX-License-Identifier: LGPL-2.1-or-later
// Text in columns, for people: plain, whatever it is printed to.

#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace bcp::cli {

using Row = std::vector<std::string>;

// Every column as wide as its widest cell; the last cell of a row is free to be longer than the others' last. What
// other people's files say is made printable().
void print_table(std::ostream& out, const std::vector<Row>& rows);

// The same with numbers: the first column to the left, all others to the right.
void print_numbers(std::ostream& out, const std::vector<Row>& rows);
// How wide that is.
std::size_t numbers_width(const std::vector<Row>& rows);

// The text with "?" for control characters and for bytes that are no UTF-8: a name in a file must not steer a terminal.
std::string printable(std::string_view text);

// "16.2 MB": powers of 1000, as disks and downloads are counted.
std::string bytes_for_people(std::uintmax_t bytes);

}  // namespace bcp::cli
