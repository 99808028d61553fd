// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/datasets/csv.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/file.hpp"

namespace bcp::eval {
namespace {

constexpr std::size_t kMaxCsvFile = std::size_t{1} << 30;
constexpr std::string_view kCsvByteOrderMark = "\xef\xbb\xbf";

}  // namespace

Result<CsvReader> CsvReader::open(const std::string& path) {
  Result<std::string> text = read_file(path, kMaxCsvFile);
  if (!text) return text.error();
  CsvReader reader(path, *std::move(text));
  if (reader.text_.starts_with(kCsvByteOrderMark)) reader.at_ = kCsvByteOrderMark.size();
  return reader;
}

Status CsvReader::read_quoted(std::string& field) {
  ++at_;
  for (;;) {
    const std::size_t quote = text_.find('"', at_);
    if (quote == std::string::npos)
      return Error{ErrorCode::kInvalid,
                   path_ + ", line " + std::to_string(line_) + ": a quote is never closed: add the second one"};
    field.append(text_, at_, quote - at_);
    at_ = quote + 1;
    if (at_ >= text_.size() || text_[at_] != '"') break;
    field += '"';
    ++at_;
  }
  if (at_ == text_.size() || text_[at_] == ',' || text_[at_] == '\n' || text_.compare(at_, 2, "\r\n") == 0) return ok();
  return Error{ErrorCode::kInvalid, path_ + ", line " + std::to_string(line_) +
                                        ": text follows a closing quote: double the quotes inside a quoted field"};
}

Result<bool> CsvReader::next() {
  for (; at_ < text_.size(); ++at_) {
    if (text_[at_] == '\n')
      ++next_line_;
    else if (text_[at_] != '\r')
      break;
  }
  if (at_ == text_.size()) return false;
  fields_.clear();
  line_ = next_line_;
  for (bool ended = false; !ended;) {
    std::string field;
    if (at_ < text_.size() && text_[at_] == '"') {
      if (const Status read = read_quoted(field); !read) return read.error();
      next_line_ += static_cast<std::size_t>(std::count(field.begin(), field.end(), '\n'));
    } else {
      const std::size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
      field = text_.substr(at_, end - at_);
      if ((end == text_.size() || text_[end] == '\n') && field.ends_with('\r')) field.pop_back();
      at_ = end;
    }
    fields_.push_back(std::move(field));
    if (text_.compare(at_, 2, "\r\n") == 0) ++at_;
    ended = at_ >= text_.size() || text_[at_] == '\n';
    if (at_ < text_.size()) ++at_;
    if (ended) ++next_line_;
  }
  return true;
}

}  // namespace bcp::eval
