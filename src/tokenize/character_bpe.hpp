// SPDX-License-Identifier: LGPL-2.1-or-later
// Byte pair encoding by characters, as trained by SentencePiece and run by Hugging Face's `tokenizers`: for Gemma and
// SigLIP 2. A character without a token is written as its bytes ("<0xE2>"), if the vocabulary has them.
//
// Immutable once made: any number of threads may encode.

#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "tokenize/byte_tokens.hpp"
#include "tokenize/merge_table.hpp"

namespace bcp::tokenize {

class CharacterBpe {
 public:
  struct Options {
    std::optional<TokenId> unknown;  // empty: unknown characters are left out
    bool fuse_unknown = false;       // adjacent unknown characters are one token
    bool byte_fallback = false;
    bool ignore_merges = false;  // a word that is a token becomes that token, without merges
  };
  // A merge with a part or result that is not a token is an error; messages do not name the file.
  static Result<CharacterBpe> make(const TokenIds& ids, const Merges& merges, const Options& options);

  // Appends the ids of one word. REQUIRES: well-formed UTF-8.
  void encode(std::string_view word, std::vector<TokenId>& ids) const;

 private:
  Options options_;
  std::unordered_map<char32_t, TokenId> characters_;
  ByteTokens bytes_{};
  TokenIds words_;  // only with ignore_merges
  MergeTable merges_;
};

}  // namespace bcp::tokenize
