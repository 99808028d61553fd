// SPDX-License-Identifier: LGPL-2.1-or-later
// The merges of byte pair encoding: which two tokens make a third, and in which order.
//
// Immutable: any number of threads may join words with one.

#pragma once

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

// The error for a vocabulary without `token`, which `for_what` needs.
Error missing_token(const std::string& token, const std::string& for_what);

class MergeTable {
 public:
  // Both join the pair of the lowest rank first. OpenAI's code joins all its occurrences before it searches again,
  // Hugging Face's fast tokenizer searches after each. The results differ only if a merge is listed before the merges
  // of its parts.
  enum class Order { kAllOccurrences, kOneOccurrence };

  // The rank of a merge is its position. A merge with a part or result that is not a token is an error, which does not
  // name the file.
  static Result<MergeTable> make(const TokenIds& ids, const Merges& merges, Order order);

  // Joins the tokens of one word and appends the result to `ids`. The time grows almost linearly with the word's
  // length.
  void join(const std::vector<TokenId>& word, std::vector<TokenId>& ids) const;

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
  std::unordered_map<std::uint64_t, Merge, PairHash> merges_;
};

}  // namespace bcp::tokenize
