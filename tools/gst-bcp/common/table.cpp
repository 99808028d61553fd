// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <ostream>

#include "base/utf8.hpp"

namespace bcp::cli {
namespace {

constexpr std::string_view kGap = "  ";

// Columns a text takes on a terminal, near enough: one a code point.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xc0) != 0x80; }));
}

std::vector<std::size_t> widths_of(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(printable(row[i])));
  }
  return widths;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const std::optional<utf8::CodePoint> next = utf8::first(text);
    const std::size_t bytes = next ? next->bytes : 1;
    const bool control = next && (next->value < 0x20 || (next->value >= 0x7f && next->value < 0xa0));
    if (next && !control)
      clean += text.substr(0, bytes);
    else
      clean += '?';
    text.remove_prefix(bytes);
  }
  return clean;
}

void print_table(std::ostream& out, const std::vector<Row>& rows) {
  std::vector<Row> cells = rows;
  std::vector<std::size_t> widths;
  for (Row& row : cells) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = printable(row[i]);
      if (i + 1 < row.size()) widths[i] = std::max(widths[i], width(row[i]));
    }
  }
  for (const Row& row : cells) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out << row[i];
      if (i + 1 < row.size()) out << std::string(widths[i] - width(row[i]), ' ') << kGap;
    }
    out << '\n';
  }
}

void print_numbers(std::ostream& out, const std::vector<Row>& rows) {
  const std::vector<std::size_t> widths = widths_of(rows);
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string cell = printable(row[i]);
      const std::string space(widths[i] - width(cell), ' ');
      line.append(i > 0 ? kGap : "").append(i > 0 ? space + cell : cell + space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

std::size_t numbers_width(const std::vector<Row>& rows) {
  std::size_t sum = 0;
  for (const std::size_t each : widths_of(rows)) sum += (sum > 0 ? kGap.size() : 0) + each;
  return sum;
}

std::string bytes_for_people(std::uintmax_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 || value >= 99.95 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text.data();
}

}  // namespace bcp::cli
