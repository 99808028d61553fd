// SPDX-License-Identifier: LGPL-2.1-or-later

#include "condition/fault.hpp"

#include <algorithm>
#include <vector>

#include "base/utf8.hpp"

namespace bcp::condition {
namespace {

constexpr std::size_t kShownBefore = 50;  // characters of the text in front of the caret
constexpr std::size_t kShownAfter = 25;

// The characters of `text`, each to be shown in one column: what is not UTF-8 and what would move the cursor is
// replaced.
std::vector<std::string_view> columns(std::string_view text) {
  std::vector<std::string_view> all;
  while (!text.empty()) {
    const auto character = utf8::first(text);
    const std::size_t bytes = character ? character->bytes : 1;
    if (!character) {
      all.emplace_back("\uFFFD");
    } else {
      all.push_back(utf8::is_space(character->value) ? std::string_view(" ") : text.substr(0, bytes));
    }
    text.remove_prefix(bytes);
  }
  return all;
}

}  // namespace

std::size_t character_at(std::string_view text, std::size_t byte) {
  return columns(text.substr(0, byte)).size() + 1;
}

Error fault_at(std::string_view text, std::size_t byte, const std::string& what, const std::string& more) {
  const std::vector<std::string_view> all = columns(text);
  const std::size_t caret = character_at(text, byte) - 1;
  const std::size_t from = caret > kShownBefore ? caret - kShownBefore : 0;
  const std::size_t to = std::min(all.size(), caret + kShownAfter);

  std::string line = from > 0 ? "..." : "";
  std::string pointer(line.size() + caret - from, ' ');
  for (std::size_t i = from; i < to; ++i) line += all[i];
  if (to < all.size()) line += "...";
  pointer += '^';
  return invalid(what + " at character " + std::to_string(caret + 1) + more + "\n" + line + "\n" + pointer);
}

}  // namespace bcp::condition
