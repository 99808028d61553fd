// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/config/faults.hpp"

#include <algorithm>

namespace bcp::cli::run {

void Faults::add(const YAML::Mark& mark, const std::string& key, const std::string& sentence) {
  // A document without content has no place.
  const int line = mark.is_null() ? 1 : mark.line + 1, column = mark.is_null() ? 1 : mark.column + 1;
  faults_.push_back({line, column, key.empty() ? sentence : key + ": " + sentence});
}

std::vector<std::string> Faults::lines() const {
  std::vector<Fault> sorted = faults_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Fault& a, const Fault& b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
  std::vector<std::string> lines;
  for (const Fault& fault : sorted)
    lines.push_back(file_ + ":" + std::to_string(fault.line) + ":" + std::to_string(fault.column) + ": " + fault.text);
  return lines;
}

}  // namespace bcp::cli::run
