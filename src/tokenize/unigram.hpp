// SPDX-License-Identifier: LGPL-2.1-or-later
// SentencePiece's unigram model, as in Hugging Face's `tokenizers`: of all ways to cut a word into pieces, the one with
// the highest sum of scores. Used by SigLIP (and T5 and XLM-RoBERTa).
//
// Immutable: any number of threads may encode.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tokenize/byte_tokens.hpp"
#include "tokenize/piece_trie.hpp"
#include "tokenize/tokenizer.hpp"

namespace bcp::tokenize {

class Unigram {
 public:
  struct Pieces {
    std::vector<std::string> texts;  // the id of a piece is its position
    std::vector<double> scores;      // one per piece
    TokenId unknown = 0;
    bool byte_fallback = false;  // unknown text is written as its bytes, if each has a piece ("<0xE2>")
  };
  // An empty list, or an unknown piece that is not in it, is an error; messages do not name the file.
  static Result<Unigram> make(Pieces pieces);

  // Appends the ids of one word. Adjacent unknown characters become one token. REQUIRES: well-formed UTF-8.
  void encode(std::string_view word, std::vector<TokenId>& ids) const;

 private:
  Unigram(Pieces pieces, double unknown_score);

  PieceTrie trie_;
  std::vector<double> scores_;
  TokenId unknown_;
  double unknown_score_;
  bool byte_fallback_;
  ByteTokens bytes_;
};

}  // namespace bcp::tokenize
