// SPDX-License-Identifier: LGPL-2.1-or-later
// The content of a vocabulary file in any of the three formats: the tokens, and how texts are cleaned.

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "tokenize/added_tokens.hpp"
#include "tokenize/bpe.hpp"
#include "tokenize/character_bpe.hpp"
#include "tokenize/normalizer.hpp"
#include "tokenize/pre_tokenizer.hpp"
#include "tokenize/unigram.hpp"

namespace bcp::tokenize {

struct Vocabulary {
  std::variant<Bpe, CharacterBpe, Unigram> model;
  std::optional<TokenId> start, end;
  TokenId size = 0;  // one more than the highest id
  std::optional<TokenId> padding;

  // Words of the regular expression that are whole tokens.
  std::vector<AddedToken> specials;

  // Only for a tokenizer.json; the other files use OpenAI's cleaning, and find no tokens before it.
  struct Fast {
    Normalizer normalizer;
    AddedTokens in_raw_text, in_normalized_text;
    std::vector<std::string> whole_words;       // kept together by CLIP's regular expression, token or not
    std::optional<PreTokenizer> pre_tokenizer;  // empty: that regular expression
  };
  std::optional<Fast> fast;
};

// CLIP's vocabulary, which is built in.
Result<Vocabulary> clip_vocabulary();
// The format is found by content, not by name. Errors name the file.
Result<Vocabulary> open_vocabulary(const std::string& path);

// The formats; their errors do not name the file.
Result<Vocabulary> read_merges(std::string_view text);                                    // bpe_simple_vocab_16e6.txt
Result<Vocabulary> read_vocab_json(const nlohmann::json& root, std::string_view merges);  // vocab.json and merges.txt
Result<Vocabulary> read_tokenizer_json(const nlohmann::json& root);                       // tokenizer.json

// Used by two of them. Checks that ids are non-negative integers, each used once.
Result<TokenIds> read_ids(const nlohmann::json& object);
// One more than the highest of `ids`.
TokenId size_of(const TokenIds& ids);

}  // namespace bcp::tokenize
