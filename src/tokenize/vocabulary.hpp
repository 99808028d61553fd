// SPDX-License-Identifier: LGPL-2.1-or-later
// What a vocabulary file says, in whichever of the three forms it has: the tokens, and what is done to a text before.

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

  // Words of the regular expression that are tokens as they are.
  std::vector<AddedToken> specials;

  // Only a tokenizer.json has these; the other files mean OpenAI's cleaning, and find no tokens before it.
  struct Fast {
    Normalizer normalizer;
    AddedTokens in_raw_text, in_normalized_text;
    std::vector<std::string> whole_words;       // what CLIP's regular expression keeps together, token or not
    std::optional<PreTokenizer> pre_tokenizer;  // none: that regular expression
  };
  std::optional<Fast> fast;
};

// CLIP's own, built in.
Result<Vocabulary> clip_vocabulary();
// Told by content, not by name. Errors name the file.
Result<Vocabulary> open_vocabulary(const std::string& path);

// The forms one by one; their errors do not name the file.
Result<Vocabulary> read_merges(std::string_view text);                                    // bpe_simple_vocab_16e6.txt
Result<Vocabulary> read_vocab_json(const nlohmann::json& root, std::string_view merges);  // vocab.json and merges.txt
Result<Vocabulary> read_tokenizer_json(const nlohmann::json& root);                       // tokenizer.json

// What two of them share.
// Checked: whole numbers from 0, none twice.
Result<TokenIds> read_ids(const nlohmann::json& object);
// One more than the highest of `ids`.
TokenId size_of(const TokenIds& ids);

}  // namespace bcp::tokenize
