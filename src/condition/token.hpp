// SPDX-License-Identifier: LGPL-2.1-or-later
// The words and symbols of a condition. Internal to the parser (condition.hpp).

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bcp::condition {

enum class TokenKind {
  kEnd,     // of the text
  kWord,    // not a keyword: a label or a number
  kQuoted,  // a label
  kOpen,
  kClose,
  kAnd,
  kOr,
  kNot,
  kAny,
  kMore,
  kAtLeast,
  kLess,
  kAtMost,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view source = {};  // as the text has it
  std::string label = {};        // of a quoted one: without its quotes and escapes
  std::size_t at = 0;            // the byte of the text it begins at
};

// Splits a text into tokens, one a call. `text` outlives it.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  // The next token, or an error that points at a character. After the end: kEnd, as often as it is called.
  Result<Token> next();

 private:
  Result<Token> quoted();
  Result<Token> symbol();
  Result<Token> word();
  Token take(TokenKind kind, std::size_t size);

  std::string_view text_;
  std::size_t at_ = 0;
};

// Whether a label that has this character needs no quotes for it: letters, marks and digits of any script, _ and -.
bool is_label_character(char32_t character);

// Whether the text is `and`, `or`, `not` or `any`, in any case.
bool is_keyword(std::string_view word);

}  // namespace bcp::condition
