// SPDX-License-Identifier: LGPL-2.1-or-later
// CLIP's byte pair encoding: the bytes of a word are joined, pair by pair, into tokens of the vocabulary.
//
// Tokens are written as in GPT-2: one printable character for each of the 256 bytes, and "</w>" at the end of a word.
// Immutable.

#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tokenize/merge_table.hpp"

namespace bcp::tokenize {

inline constexpr std::string_view kEndOfWord = "</w>";

// How the byte is written in a token.
std::string token_of_byte(unsigned char byte);

class Bpe {
 public:
  // Errors: a byte without a token, or a merge with a part or result that is not a token. Messages do not name the
  // file.
  static Result<Bpe> make(const TokenIds& ids, const Merges& merges, MergeTable::Order order);

  // Appends the ids of one word.
  void encode(std::string_view word, std::vector<TokenId>& ids) const;

 private:
  std::array<TokenId, 256> inner_{}, last_{};
  MergeTable merges_;
};

}  // namespace bcp::tokenize
