// SPDX-License-Identifier: LGPL-2.1-or-later
// Unicode as in the reference tokenizers, through ICU. All functions except well_formed() REQUIRE well-formed UTF-8.
//
// The references use Unicode 14. A newer ICU gives the same results for its code points, except for the cases handled
// here.

#pragma once

#include <string>
#include <string_view>

namespace bcp::tokenize::unicode {

// `bytes` with U+FFFD for invalid UTF-8: one for each longest incomplete sequence, as in browsers and Python.
std::string well_formed(std::string_view bytes);

// The code point at `at`; moves `at` past it. REQUIRES: at < text.size().
char32_t next(std::string_view text, std::size_t& at);
void append(std::string& text, char32_t code_point);

// Composed (NFC). REQUIRES: less than 2^31 bytes.
std::string compose(std::string_view text);
// The other three: NFD, NFKC, NFKD. REQUIRES: the same.
std::string decompose(std::string_view text);
std::string compose_compatible(std::string_view text);
std::string decompose_compatible(std::string_view text);
// NFKC of one code point.
std::string compatible(char32_t code_point);

// Python's str.lower() has a special form of sigma at the end of a word; Rust's char::to_lowercase() does not.
enum class Sigma { kFinalInWords, kAlwaysSame };
std::string lower(std::string_view text, Sigma sigma);

// A mark that is written on, around or after a letter (general category M).
bool is_mark(char32_t code_point);
// A decimal digit of any script.
bool is_digit(char32_t code_point);
// White space by Unicode's property, which \s means in both regular expressions.
bool is_white_space(char32_t code_point);
// How many bytes of white space `text` begins or ends with.
std::size_t leading_space(std::string_view text);
std::size_t trailing_space(std::string_view text);
// White space of Python's str.split() and str.strip(): the same and the four separators U+001C to U+001F.
bool is_python_space(char32_t code_point);

}  // namespace bcp::tokenize::unicode
