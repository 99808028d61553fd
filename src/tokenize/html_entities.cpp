// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/html_entities.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "tokenize/unicode.hpp"

namespace bcp::tokenize {
namespace {

struct Entity {
  std::string_view name, text;
};

constexpr Entity kEntities[] = {
#include "tokenize/html_entity_table.inc"
};
constexpr std::size_t kLongestName = 32;
constexpr std::size_t kLongestStrict = 24;  // ftfy's own limit, without the semicolon

constexpr char32_t kReplacement = 0xFFFD;
constexpr char32_t kLast = 0x10FFFF;

constexpr std::array<char16_t, 32> kWindows1252{0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                                0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0x8D,   0x17D,  0x8F,
                                                0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};

bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}
bool is_hexadecimal(char c) {
  return is_decimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_alphanumeric(char c) {
  return is_decimal(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Numbers that HTML forbids and Python therefore drops.
bool is_nothing(char32_t number) {
  return (number >= 0x1 && number <= 0x8) || number == 0xB || (number >= 0xE && number <= 0x1F) || number == 0x7F ||
         (number >= 0xFDD0 && number <= 0xFDEF) || (number & 0xFFFE) == 0xFFFE;
}

std::string text_of_number(char32_t number) {
  std::string text;
  if (number >= 0x80 && number <= 0x9F) {
    unicode::append(text, from_windows_1252(number));
  } else if (number == 0 || (number >= 0xD800 && number <= 0xDFFF) || number > kLast) {
    unicode::append(text, kReplacement);
  } else if (!is_nothing(number)) {
    unicode::append(text, number);
  }
  return text;
}

struct Match {
  std::size_t bytes = 0;  // after the ampersand
  std::string text;
};

// `rest` is what follows the ampersand.
std::optional<Match> match_number(std::string_view rest) {
  if (rest.empty() || rest[0] != '#') return std::nullopt;
  const bool hexadecimal = rest.size() > 1 && (rest[1] == 'x' || rest[1] == 'X');
  const std::size_t start = hexadecimal ? 2 : 1;
  const char32_t base = hexadecimal ? 16 : 10;
  std::size_t at = start;
  char32_t number = 0;
  for (; at < rest.size() && (hexadecimal ? is_hexadecimal(rest[at]) : is_decimal(rest[at])); ++at) {
    const auto c = static_cast<char32_t>(rest[at]);
    const char32_t digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    number = std::min<char32_t>(number * base + digit, kLast + 1);
  }
  if (at == start) return std::nullopt;
  if (at < rest.size() && rest[at] == ';') ++at;
  return Match{at, text_of_number(number)};
}

const Entity* find_entity(std::string_view name) {
  const auto* found = std::lower_bound(std::begin(kEntities), std::end(kEntities), name,
                                       [](const Entity& entity, std::string_view key) { return entity.name < key; });
  return found != std::end(kEntities) && found->name == name ? found : nullptr;
}

// The longest name that `rest` begins with.
const Entity* longest_entity(std::string_view rest) {
  std::size_t length = 0;
  while (length < rest.size() && length < kLongestName && is_alphanumeric(rest[length])) ++length;
  if (length < rest.size() && rest[length] == ';') ++length;
  for (; length > 1; --length)
    if (const Entity* entity = find_entity(rest.substr(0, length))) return entity;
  return nullptr;
}

// `name` ends in a semicolon. Capitals are taken for a name in small letters where they are no name themselves and do
// not begin with one.
std::optional<std::string> strict_text(std::string_view name) {
  if (const Entity* entity = find_entity(name)) return std::string(entity->text);
  std::string small(name);
  for (char& c : small) {
    if (c >= 'a' && c <= 'z') return std::nullopt;
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  const Entity* entity = find_entity(small);
  if (!entity || longest_entity(name)) return std::nullopt;
  return unicode::upper(entity->text);
}

std::optional<Match> match_strictly(std::string_view rest) {
  const std::size_t start = !rest.empty() && rest[0] == '#' ? 1 : 0;
  std::size_t at = start;
  while (at < rest.size() && at - start < kLongestStrict && is_alphanumeric(rest[at])) ++at;
  if (at == start || at == rest.size() || rest[at] != ';') return std::nullopt;
  const std::string_view reference = rest.substr(0, at + 1);
  if (start == 0) {
    std::optional<std::string> text = strict_text(reference);
    if (!text) return std::nullopt;
    return Match{reference.size(), *std::move(text)};
  }
  std::optional<Match> match = match_number(reference);
  // A semicolon in the result is to ftfy a sign that only part of the reference was read: "&#59;" stays.
  if (!match || match->bytes != reference.size() || match->text == ";") return std::nullopt;
  return match;
}

// Copies `text`, with what `match` finds after each ampersand in its place.
template <typename Find, typename Seen>
std::string replace_references(std::string_view text, Find match, Seen seen) {
  std::string result;
  result.reserve(text.size());
  for (;;) {
    const std::size_t ampersand = text.find('&');
    result += text.substr(0, ampersand);
    if (ampersand == std::string_view::npos) return result;
    text.remove_prefix(ampersand + 1);
    if (std::optional<Match> found = match(text)) {
      seen(found->text);
      result += found->text;
      text.remove_prefix(found->bytes);
    } else {
      result += '&';
    }
  }
}

}  // namespace

std::string unescape_html(std::string_view text) {
  const auto match = [](std::string_view rest) -> std::optional<Match> {
    if (!rest.empty() && rest[0] == '#') return match_number(rest);
    const Entity* entity = longest_entity(rest);
    if (!entity) return std::nullopt;
    return Match{entity->name.size(), std::string(entity->text)};
  };
  return replace_references(text, match, [](const std::string&) {});
}

Unescaped unescape_strictly(std::string& text) {
  if (text.find('&') == std::string::npos) return Unescaped::kNothing;
  Unescaped what = Unescaped::kNothing;
  std::string result = replace_references(text, match_strictly, [&](const std::string& replacement) {
    what = replacement == "&" && what != Unescaped::kOther ? Unescaped::kAmpersands : Unescaped::kOther;
  });
  if (what != Unescaped::kNothing) text = std::move(result);
  return what;
}

char32_t from_windows_1252(char32_t byte) {
  return kWindows1252[byte - 0x80];
}

}  // namespace bcp::tokenize
