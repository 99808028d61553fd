// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/fix_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tokenize/unicode.hpp"

namespace bcp::tokenize {
namespace {

constexpr char32_t kEscape = 0x1B;

// The windows-1252 characters for the C1 controls U+0080 to U+009F; some stay unchanged.
constexpr std::array<char16_t, 32> kWindows1252{0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                                0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0x8D,   0x17D,  0x8F,
                                                0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};

struct Ligature {
  char32_t code_point;
  std::string_view letters;
};

// ftfy splits only these. U+0149 gets a straight quote, because quotes are straightened next.
constexpr Ligature kLigatures[] = {
    {0x132, "IJ"},   {0x133, "ij"},   {0x149, "'n"},       {0x1C4, "D\u017D"}, {0x1C5, "D\u017E"}, {0x1C6, "d\u017E"},
    {0x1C7, "LJ"},   {0x1C8, "Lj"},   {0x1C9, "lj"},       {0x1CA, "NJ"},      {0x1CB, "Nj"},      {0x1CC, "nj"},
    {0x1F1, "DZ"},   {0x1F2, "Dz"},   {0x1F3, "dz"},       {0xFB00, "ff"},     {0xFB01, "fi"},     {0xFB02, "fl"},
    {0xFB03, "ffi"}, {0xFB04, "ffl"}, {0xFB05, "\u017Ft"}, {0xFB06, "st"},
};

bool is_removed_control(char32_t c) {
  return c <= 0x8 || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || (c >= 0x206A && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xFFF9 && c <= 0xFFFC);
}

// Appends the replacement of one code point; the order of the cases is ftfy's. A carriage return always becomes a line
// feed: white space is collapsed later, so "\r\n" needs no special case.
void append_fixed(std::string& text, char32_t c) {
  if (c >= 0x80 && c <= 0x9F) c = kWindows1252[c - 0x80];
  const auto* ligature = std::lower_bound(std::begin(kLigatures), std::end(kLigatures), c,
                                          [](const Ligature& entry, char32_t key) { return entry.code_point < key; });
  if (ligature != std::end(kLigatures) && ligature->code_point == c) {
    text += ligature->letters;
  } else if (c >= 0xFF01 && c < 0xFFF0) {
    text += unicode::compatible(c);
  } else if (c == 0x3000) {
    text += ' ';
  } else if (c >= 0x201C && c <= 0x201F) {
    text += '"';
  } else if (c == 0x2BC || (c >= 0x2018 && c <= 0x201B)) {
    text += '\'';
  } else if (c == '\r' || c == 0x2028 || c == 0x2029) {
    text += '\n';
  } else {
    unicode::append(text, c);
  }
}

// The number of bytes after an escape character that belong to a terminal sequence such as "[36;44m"; 0 if there is
// none.
std::size_t terminal_sequence(std::string_view rest) {
  if (rest.empty() || rest[0] != '[') return 0;
  for (std::size_t at = 1; at < rest.size();) {
    const char32_t c = unicode::next(rest, at);
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return at;
    if (c != ';' && !unicode::is_digit(c)) return 0;
  }
  return 0;
}

std::string remove_controls(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t c = unicode::next(text, at);
    if (c == kEscape)
      at += terminal_sequence(text.substr(at));
    else if (!is_removed_control(c))
      result += text.substr(start, at - start);
  }
  return result;
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t'; });
}

std::string fix_characters(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) append_fixed(result, unicode::next(text, at));
  return unicode::compose(remove_controls(result));
}

}  // namespace

std::string fix_text(std::string_view text) {
  std::string before(text);
  for (;;) {
    std::string fixed = fix_characters(before);
    if (fixed == before) return fixed;
    before = std::move(fixed);
  }
}

}  // namespace bcp::tokenize
