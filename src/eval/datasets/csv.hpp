// SPDX-License-Identifier: LGPL-2.1-or-later
// Comma-separated values in the format of RFC 4180: quoted fields may contain commas, line ends and doubled quotes.
// Lines end in LF or CRLF; a byte-order mark and empty lines are skipped.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp::eval {

class CsvReader {
 public:
  static Result<CsvReader> open(const std::string& path);

  // Moves to the next record; false at the end. An error names the file and the line.
  Result<bool> next();
  const std::vector<std::string>& fields() const { return fields_; }
  // The first line of the record, counted from 1.
  std::size_t line() const { return line_; }

 private:
  CsvReader(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}
  Status read_quoted(std::string& field);

  std::string path_, text_;
  std::size_t at_ = 0, next_line_ = 1, line_ = 0;
  std::vector<std::string> fields_;
};

}  // namespace bcp::eval
