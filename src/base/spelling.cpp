// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/spelling.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace bcp {
namespace {

constexpr std::size_t kLettersPerSlip = 3;  // a misspelling has at most one wrong letter in so many
constexpr std::size_t kShortestPart = 3;    // letters of a word that begins like another

}  // namespace

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lowered;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row[b.size()];
}

std::vector<std::size_t> similar(std::string_view wanted, std::span<const std::string> names, std::size_t most) {
  const std::string folded = lower(wanted);
  std::vector<std::pair<std::size_t, std::size_t>> ranked;  // distance, index
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string known = lower(names[i]);
    const std::size_t distance = edit_distance(folded, known);
    const bool is_beginning = std::min(folded.size(), known.size()) >= kShortestPart &&
                              (known.starts_with(folded) || folded.starts_with(known));
    if (is_beginning || distance <= std::max(folded.size(), known.size()) / kLettersPerSlip)
      ranked.emplace_back(distance, i);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::size_t> nearest;
  for (const auto& [distance, i] : ranked)
    if (nearest.size() < most) nearest.push_back(i);
  return nearest;
}

}  // namespace bcp
