// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/word_splitter.hpp"

#include <array>
#include <new>

#include "tokenize/white_space.hpp"

namespace bcp::tokenize {
namespace {

// Ignoring case, after lower(), one letter still equals another one: the long s, U+017F.
std::string literal(std::string_view text, WordSplitter::Case letter_case) {
  std::string pattern;
  for (const char c : text) {
    if (c == 's' && letter_case == WordSplitter::Case::kIgnored) {
      pattern += R"([s\x{17F}])";
    } else {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c & 0x80);
      if (!plain) pattern += '\\';
      pattern += c;
    }
  }
  return pattern;
}

std::string pattern_of(const std::vector<std::string>& whole_words, WordSplitter::Case letter_case) {
  std::string pattern;
  for (const std::string& word : whole_words) pattern += literal(word, letter_case) + "|";
  for (const char* ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    pattern += literal(ending, letter_case) + "|";
  pattern += R"(\p{L}+|\p{N}|[^\p{L}\p{N})";
  pattern += kWhiteSpaceRanges;
  // For Python's `regex`, U+0345 is a letter in negated classes, because its capital is one, but not in other classes.
  // So it belongs to no word.
  if (letter_case == WordSplitter::Case::kIgnored) pattern += R"(\x{345})";
  return pattern + "]+";
}

}  // namespace

Result<WordSplitter> WordSplitter::make(const std::vector<std::string>& whole_words, Case letter_case) {
  const std::string pattern = pattern_of(whole_words, letter_case);
  int code = 0;
  PCRE2_SIZE at = 0;
  WordSplitter splitter;
  splitter.code_.reset(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), PCRE2_UTF, &code, &at, nullptr));
  if (!splitter.code_) {
    std::array<PCRE2_UCHAR, 256> reason{};
    pcre2_get_error_message(code, reason.data(), reason.size());
    return Error{ErrorCode::kUnsupported, std::string("PCRE2 cannot read CLIP's regular expression (") +
                                              reinterpret_cast<const char*>(reason.data()) +
                                              "): use a PCRE2 built with Unicode support"};
  }
  return splitter;
}

WordSplitter::Words::Words(const WordSplitter& splitter, std::string_view text)
    : code_(splitter.code_.get()), text_(text), match_(pcre2_match_data_create(1, nullptr)) {
  if (!match_) throw std::bad_alloc();
}

std::optional<std::string_view> WordSplitter::Words::next() {
  const int found = pcre2_match(code_, reinterpret_cast<PCRE2_SPTR>(text_.data()), text_.size(), at_,
                                PCRE2_NO_UTF_CHECK, match_.get(), nullptr);
  if (found < 0) return std::nullopt;
  const PCRE2_SIZE* range = pcre2_get_ovector_pointer(match_.get());
  at_ = range[1];
  return text_.substr(range[0], range[1] - range[0]);
}

}  // namespace bcp::tokenize
