// SPDX-License-Identifier: LGPL-2.1-or-later
// The parts of Hugging Face's tokenizer.json, each read by its own file. Everything in CLIP's, SigLIP's and SigLIP 2's
// files is read exactly; anything else is an error that names it.
//
// Errors do not name the file.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "tokenize/normalizer.hpp"
#include "tokenize/pre_tokenizer.hpp"
#include "tokenize/vocabulary.hpp"

namespace bcp::tokenize {

constexpr TokenId kMaxTokenId = 1 << 24;

// The file is damaged.
Error damaged(std::string reason);
// `what` in the file is `value`, which is not supported.
Error unsupported(const std::string& what, const nlohmann::json& value);

// normalizer_json.cpp: null means no normaliser.
Result<Normalizer> read_normalizer(const nlohmann::json& value);

// pre_tokenizer_json.cpp: CLIP's regular expression, returning the additional words that it keeps together; or one of
// the others, where null means missing.
Result<std::vector<std::string>> read_clip_words(const nlohmann::json& value);
Result<PreTokenizer> read_pre_tokenizer(const nlohmann::json& value);

// model_json.cpp: the kind of a "model", and its tokens.
enum class ModelKind { kClip, kCharacterBpe, kUnigram };
Result<ModelKind> model_kind(const nlohmann::json& model);
Result<TokenIds> read_tokens(const nlohmann::json& model, ModelKind kind);
Status read_model(const nlohmann::json& model, ModelKind kind, const TokenIds& ids, Vocabulary& vocabulary);

// post_processor_json.cpp: the tokens before and after a text.
struct Ends {
  std::optional<TokenId> start, end;
};
Result<Ends> read_ends(const nlohmann::json& value, const TokenIds& ids);

}  // namespace bcp::tokenize
