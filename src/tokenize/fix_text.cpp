// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/fix_text.hpp"

#include <algorithm>
#include <utility>

#include "tokenize/html_entities.hpp"
#include "tokenize/unicode.hpp"

namespace bcp::tokenize {
namespace {

constexpr std::size_t kSegment = 1'000'000;  // code points ftfy works on at once
constexpr char32_t kEscape = 0x1B;

struct Ligature {
  char32_t code_point;
  std::string_view letters;
};

// ftfy takes apart these and no others. U+0149 comes out with a straight quote, because quotes are straightened next.
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

// Appends what one code point becomes; the order of the cases is ftfy's. A carriage return always becomes a line feed
// of its own: white space is collapsed later, so that "\r\n" needs no care.
void append_fixed(std::string& text, char32_t c) {
  if (c >= 0x80 && c <= 0x9F) c = from_windows_1252(c);
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

// How many bytes after an escape character belong to a terminal's sequence such as "[36;44m"; 0 where none begins.
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

std::string fix_segment(std::string text, bool unescape) {
  for (bool settled = false;;) {
    const Unescaped change = unescape ? unescape_strictly(text) : Unescaped::kNothing;
    // A bare ampersand gives the other steps nothing to do. Without this, a long "&amp;amp;amp;…" would take minutes.
    if (settled && change == Unescaped::kAmpersands) continue;
    if (settled && change == Unescaped::kNothing) return text;
    std::string fixed = fix_characters(text);
    settled = fixed == text;
    text = std::move(fixed);
    if (settled && change == Unescaped::kNothing) return text;
  }
}

}  // namespace

std::string fix_text(std::string_view text) {
  std::string result;
  bool unescape = true;
  while (!text.empty()) {
    const std::size_t line_end = text.find('\n');
    std::string_view segment = text.substr(0, line_end == std::string_view::npos ? line_end : line_end + 1);
    segment = segment.substr(0, unicode::bytes_of(segment, kSegment));
    text.remove_prefix(segment.size());
    // Text with a tag in it is taken for HTML, from here to its end, and its references are left alone.
    unescape = unescape && segment.find('<') == std::string_view::npos;
    result += fix_segment(std::string(segment), unescape);
  }
  return result;
}

}  // namespace bcp::tokenize
