// SPDX-License-Identifier: LGPL-2.1-or-later

#include <unicode/uchar.h>

#include <array>
#include <utility>

#include "base/spelling.hpp"
#include "base/utf8.hpp"
#include "condition/fault.hpp"
#include "condition/token.hpp"

namespace bcp::condition {
namespace {

constexpr std::array<std::pair<std::string_view, TokenKind>, 4> kKeywords{{
    {"and", TokenKind::kAnd},
    {"or", TokenKind::kOr},
    {"not", TokenKind::kNot},
    {"any", TokenKind::kAny},
}};

// Ends a word. Everything else is in it, so that the parser can say which character does not belong there.
bool ends_word(char32_t c) {
  return utf8::is_space(c) || c == '"' || c == '\'' || c == '(' || c == ')' || c == '<' || c == '>' || c == '=';
}

}  // namespace

bool is_label_character(char32_t c) {
  constexpr char32_t kNonJoiner = 0x200C, kJoiner = 0x200D;  // inside words of several scripts
  if (c == '_' || c == '-' || c == kNonJoiner || c == kJoiner) return true;
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & (U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK)) != 0;
}

bool is_keyword(std::string_view word) {
  const std::string folded = lower(word);
  for (const auto& [keyword, kind] : kKeywords)
    if (folded == keyword) return true;
  return false;
}

Result<Token> Lexer::next() {
  while (at_ < text_.size()) {
    const auto character = utf8::first(text_.substr(at_));
    if (!character) return fault_at(text_, at_, "the text is not valid UTF-8");
    if (!utf8::is_space(character->value)) break;
    at_ += character->bytes;
  }
  if (at_ == text_.size()) return take(TokenKind::kEnd, 0);
  switch (text_[at_]) {
    case '(':
      return take(TokenKind::kOpen, 1);
    case ')':
      return take(TokenKind::kClose, 1);
    case '"':
    case '\'':
      return quoted();
    case '<':
    case '>':
    case '=':
      return symbol();
    default:
      return word();
  }
}

Result<Token> Lexer::quoted() {
  Token token{.kind = TokenKind::kQuoted, .at = at_};
  const char quote = text_[at_];
  std::size_t at = at_ + 1;
  for (; at < text_.size() && text_[at] != quote; ++at) {
    if (text_[at] == '\\') {
      if (++at == text_.size()) break;
      if (text_[at] != '"' && text_[at] != '\'' && text_[at] != '\\') {
        return fault_at(text_, at - 1, "unknown escape", R"(; in quotes, write \", \' or \\ for ", ' and \)");
      }
    }
    token.label += text_[at];
  }
  if (at >= text_.size()) {
    return fault_at(text_, at_, std::string("missing closing ") + quote + " of the label that begins");
  }
  const std::string_view inside = text_.substr(at_ + 1, at - at_ - 1);
  if (const std::size_t valid = utf8::valid_prefix(inside); valid < inside.size()) {
    return fault_at(text_, at_ + 1 + valid, "the text is not valid UTF-8");
  }
  if (token.label.empty()) return fault_at(text_, at_, "the label is empty");
  token.source = text_.substr(at_, at + 1 - at_);
  at_ = at + 1;
  return token;
}

Result<Token> Lexer::symbol() {
  const bool equal = at_ + 1 < text_.size() && text_[at_ + 1] == '=';
  if (text_[at_] == '>') return equal ? take(TokenKind::kAtLeast, 2) : take(TokenKind::kMore, 1);
  if (text_[at_] == '<') return equal ? take(TokenKind::kAtMost, 2) : take(TokenKind::kLess, 1);
  return fault_at(text_, at_, "unknown comparison", "; use >, >=, < or <=");
}

Result<Token> Lexer::word() {
  std::size_t size = 0;
  while (at_ + size < text_.size()) {
    const auto character = utf8::first(text_.substr(at_ + size));
    if (!character) return fault_at(text_, at_ + size, "the text is not valid UTF-8");
    if (ends_word(character->value)) break;
    size += character->bytes;
  }
  const std::string folded = lower(text_.substr(at_, size));
  for (const auto& [keyword, kind] : kKeywords)
    if (folded == keyword) return take(kind, size);
  return take(TokenKind::kWord, size);
}

Token Lexer::take(TokenKind kind, std::size_t size) {
  Token token{.kind = kind, .source = text_.substr(at_, size), .at = at_};
  at_ += size;
  return token;
}

}  // namespace bcp::condition
