// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/unicode.hpp"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

#include <algorithm>

#include "base/utf8.hpp"

namespace bcp::tokenize::unicode {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr char32_t kCapitalSigma = 0x3A3, kSmallSigma = 0x3C3, kFinalSigma = 0x3C2;
constexpr char32_t kCapitalIWithDot = 0x130, kDotAbove = 0x307;

UChar32 icu_of(char32_t code_point) {
  return static_cast<UChar32>(code_point);
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// How many bytes of `text`, which does not begin with a valid code point, become one U+FFFD: the longest incomplete
// sequence.
std::size_t broken_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0xC2 || lead > 0xF4 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size()) return i;
    // The second byte shows overlong forms, surrogates and values above U+10FFFF.
    const unsigned low = i > 1 ? 0x80 : lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = i > 1 ? 0xBF : lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (byte(i) < low || byte(i) > high) return i;
  }
  return length;
}

// Unicode 14's values for these two, which Unicode 16 changed.
bool is_cased(char32_t c) {
  return c == 0x295 || u_hasBinaryProperty(icu_of(c), UCHAR_CASED);
}
bool is_case_ignorable(char32_t c) {
  return c == 0x1171E || u_hasBinaryProperty(icu_of(c), UCHAR_CASE_IGNORABLE);
}

// Whether the first significant letter after a sigma shows that the sigma is inside a word.
bool begins_with_cased(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next(text, at);
    if (!is_case_ignorable(c)) return is_cased(c);
  }
  return false;
}

std::string normalized(const icu::Normalizer2* (*instance)(UErrorCode&), std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* normalizer = instance(status);
  std::string result;
  icu::StringByteSink<std::string> sink(&result, static_cast<int32_t>(text.size()));
  const icu::StringPiece piece(text.data(), static_cast<int32_t>(text.size()));
  if (normalizer) normalizer->normalizeUTF8(0, piece, sink, nullptr, status);
  // Fails only if ICU's data is missing; then the text stays unchanged.
  return U_SUCCESS(status) ? result : std::string(text);
}

}  // namespace

std::string well_formed(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t valid = utf8::valid_prefix(bytes);
    text += bytes.substr(0, valid);
    bytes.remove_prefix(valid);
    if (bytes.empty()) break;
    append(text, kReplacement);
    bytes.remove_prefix(broken_bytes(bytes));
  }
  return text;
}

char32_t next(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) return lead;
  const int more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  char32_t value = lead & (0x3Fu >> more);
  for (int i = 0; i < more; ++i) value = (value << 6) | (static_cast<unsigned char>(text[at++]) & 0x3Fu);
  return value;
}

void append(std::string& text, char32_t c) {
  const auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xC0 | (c >> 6));
  } else {
    if (c < 0x10000) {
      add(0xE0 | (c >> 12));
    } else {
      add(0xF0 | (c >> 18));
      add(0x80 | ((c >> 12) & 0x3F));
    }
    add(0x80 | ((c >> 6) & 0x3F));
  }
  add(0x80 | (c & 0x3F));
}

std::string compose(std::string_view text) {
  return is_ascii(text) ? std::string(text) : normalized(&icu::Normalizer2::getNFCInstance, text);
}

std::string decompose(std::string_view text) {
  return normalized(&icu::Normalizer2::getNFDInstance, text);
}
std::string compose_compatible(std::string_view text) {
  return normalized(&icu::Normalizer2::getNFKCInstance, text);
}
std::string decompose_compatible(std::string_view text) {
  return normalized(&icu::Normalizer2::getNFKDInstance, text);
}

std::string compatible(char32_t code_point) {
  std::string text;
  append(text, code_point);
  return normalized(&icu::Normalizer2::getNFKCInstance, text);
}

std::string lower(std::string_view text, Sigma sigma) {
  std::string result;
  result.reserve(text.size());
  bool after_cased = false;  // the last significant letter has upper and lower case
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next(text, at);
    if (c < 0x80) {
      append(result, c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    } else if (c == kCapitalSigma) {
      const bool last = sigma == Sigma::kFinalInWords && after_cased && !begins_with_cased(text.substr(at));
      append(result, last ? kFinalSigma : kSmallSigma);
    } else if (c == kCapitalIWithDot) {
      // The only code point whose lower case always has two code points.
      append(result, 'i');
      append(result, kDotAbove);
    } else {
      append(result, static_cast<char32_t>(u_tolower(icu_of(c))));
    }
    if (sigma == Sigma::kFinalInWords && !is_case_ignorable(c)) after_cased = is_cased(c);
  }
  return result;
}

bool is_mark(char32_t code_point) {
  return (U_GET_GC_MASK(icu_of(code_point)) & U_GC_M_MASK) != 0;
}

bool is_digit(char32_t code_point) {
  return u_isdigit(icu_of(code_point));
}

bool is_white_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x9 && c <= 0xD);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

std::size_t leading_space(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    if (!is_white_space(next(text, at))) return start;
  }
  return text.size();
}

std::size_t trailing_space(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0) {
    std::size_t start = end - 1;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80) --start;
    std::size_t at = start;
    if (!is_white_space(next(text, at))) break;
    end = start;
  }
  return text.size() - end;
}

bool is_python_space(char32_t c) {
  return (c >= 0x1C && c <= 0x1F) || is_white_space(c);
}

}  // namespace bcp::tokenize::unicode
