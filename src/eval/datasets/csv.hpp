// SPDX-License-Identifier: LGPL-2.1-or-later
// Comma-separated values as RFC 4180 has them: fields may be quoted, and then hold commas, line ends and doubled
// quotes. Lines end in LF or CRLF; a byte-order mark and empty lines are passed over.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp::eval {

class CsvReader {
 public:
  static Result<CsvReader> open(const std::string& path);

  // Goes on to the next record; false when there is none. An error names the file and the line.
  Result<bool> next();
  const std::vector<std::string>& fields() const { return fields_; }
  // Where the record begins, counted from 1.
  std::size_t line() const { return line_; }

 private:
  CsvReader(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}
  Status read_quoted(std::string& field);

  std::string path_, text_;
  std::size_t at_ = 0, next_line_ = 1, line_ = 0;
  std::vector<std::string> fields_;
};

}  // namespace bcp::eval
