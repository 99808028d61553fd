// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/eval/csv.hpp"

#include <cmath>
#include <cstdio>

namespace bcp::cli {
namespace {

// Quoted where it must be (RFC 4180).
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_value(double number) {
  if (!std::isfinite(number)) return "";
  char text[64];
  std::snprintf(text, sizeof text, "%.12g", number);
  return text;
}

void add(std::string& csv, const eval::Table& table) {
  for (const eval::Line& line : table.lines)
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      csv += field(table.key) + "," + field(line.name) + "," + field(table.columns[i].key) + "," +
             csv_value(line.numbers[i]) + "\n";
}

}  // namespace

std::string csv_text(const eval::Results& results) {
  std::string csv = "table,row,column,value\n";
  add(csv, results.main);
  add(csv, results.per_class);
  for (const eval::Table& table : results.protocols) add(csv, table);
  for (const eval::Table& table : results.details) add(csv, table);
  return csv;
}

}  // namespace bcp::cli
