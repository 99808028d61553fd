// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/datasets/lines.hpp"

#include <algorithm>
#include <string_view>

#include "base/file.hpp"

namespace bcp::eval {
namespace {

constexpr std::size_t kMaxList = std::size_t{64} << 20;
constexpr std::string_view kSpace = " \t\r\v\f";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

Result<std::vector<std::string>> read_lines(const std::string& path) {
  const Result<std::string> text = read_file(path, kMaxList);
  if (!text) return text.error();
  std::string_view rest = *text;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  std::vector<std::string> lines;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::size_t first = line.find_first_not_of(kSpace);
    if (first == std::string_view::npos) continue;
    lines.emplace_back(line.substr(first, line.find_last_not_of(kSpace) + 1 - first));
  }
  return lines;
}

}  // namespace bcp::eval
