// SPDX-License-Identifier: LGPL-2.1-or-later
// Byte pair encoding: the bytes of a word are joined, pair by pair, into tokens of the vocabulary.
//
// Tokens are written as GPT-2 began to write them: one printable character for each of the 256 bytes, and "</w>" at the
// end of a word. Immutable once made.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "tokenize/tokenizer.hpp"

namespace bcp::tokenize {

using TokenIds = std::unordered_map<std::string, TokenId>;
using Merges = std::vector<std::pair<std::string_view, std::string_view>>;

inline constexpr std::string_view kEndOfWord = "</w>";

// How the byte is written in a token.
std::string token_of_byte(unsigned char byte);

class Bpe {
 public:
  // Both join the pair of the lowest rank first. OpenAI's code joins all its occurrences before it looks again, Hugging
  // Face's fast tokenizer looks again after each. That makes a difference only where a merge stands in the list before
  // the merges that make its parts.
  enum class Order { kAllOccurrences, kOneOccurrence };

  // The rank of a merge is its place. A byte without a token and a merge with a part or a result that is no token are
  // errors; messages do not name the file.
  static Result<Bpe> make(const TokenIds& ids, const Merges& merges, Order order);

  // Appends the ids of one word. The time grows hardly more than linearly with the word's length.
  void encode(std::string_view word, std::vector<TokenId>& ids) const;

 private:
  struct Merge {
    std::uint32_t rank = 0;
    TokenId id = 0;
  };
  struct PairHash {
    std::size_t operator()(std::uint64_t pair) const { return pair * 0x9E3779B97F4A7C15u >> 20; }
  };
  class Word;

  Order order_ = Order::kAllOccurrences;
  std::array<TokenId, 256> inner_{}, last_{};
  std::unordered_map<std::uint64_t, Merge, PairHash> merges_;
};

}  // namespace bcp::tokenize
