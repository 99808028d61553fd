// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <utility>

#include "tokenize/tokenizer_json.hpp"

namespace bcp::tokenize {
namespace {

using nlohmann::json;

// Merges as lists of two tokens, or as one string with a space between them. They point into `value`.
Result<Merges> read_merge_list(const json& value) {
  if (!value.is_array()) return damaged("its model has no list of merges: fetch the file again");
  Merges merges;
  merges.reserve(value.size());
  for (const json& merge : value) {
    const std::string number = std::to_string(merges.size() + 1);
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      merges.emplace_back(merge[0].get_ref<const std::string&>(), merge[1].get_ref<const std::string&>());
    } else if (merge.is_string()) {
      const std::string_view text = merge.get_ref<const std::string&>();
      const std::size_t space = text.find(' ');
      if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos)
        return damaged("merge " + number + " is not two tokens with a space between them: fetch the file again");
      merges.emplace_back(text.substr(0, space), text.substr(space + 1));
    } else {
      return damaged("merge " + number + " is not a pair of tokens: fetch the file again");
    }
  }
  return merges;
}

// An optional boolean.
Result<bool> read_flag(const json& model, const char* key) {
  const json& value = value_of(model, key);
  if (!value.is_null() && !value.is_boolean()) return unsupported(key, value);
  return value == true;
}

// Whether an entry of a Unigram vocabulary is a piece with its score.
bool is_scored_piece(const json& entry) {
  return entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_number() &&
         std::isfinite(entry[1].get<double>());
}

Status read_unigram(const json& model, Vocabulary& vocabulary) {
  Unigram::Pieces pieces;
  for (const json& entry : value_of(model, "vocab")) {
    pieces.texts.push_back(entry[0].get<std::string>());
    pieces.scores.push_back(entry[1].get<double>());
  }
  const json& unknown = value_of(model, "unk_id");
  if (!unknown.is_number_unsigned() || unknown.get<std::uint64_t>() > kMaxTokenId)
    return unsupported("unk_id", unknown);
  pieces.unknown = unknown.get<TokenId>();
  const Result<bool> fallback = read_flag(model, "byte_fallback");
  if (!fallback) return fallback.error();
  pieces.byte_fallback = *fallback;
  Result<Unigram> unigram = Unigram::make(std::move(pieces));
  if (!unigram) return unigram.error();
  vocabulary.model = *std::move(unigram);
  return ok();
}

Status read_character_bpe(const json& model, const TokenIds& ids, const Merges& merges, Vocabulary& vocabulary) {
  CharacterBpe::Options options;
  for (const auto& [key, flag] :
       {std::pair("fuse_unk", &options.fuse_unknown), std::pair("byte_fallback", &options.byte_fallback),
        std::pair("ignore_merges", &options.ignore_merges)}) {
    const Result<bool> read = read_flag(model, key);
    if (!read) return read.error();
    *flag = *read;
  }
  if (const json& unknown = value_of(model, "unk_token"); !unknown.is_null()) {
    if (!unknown.is_string()) return unsupported("unk_token", unknown);
    const auto found = ids.find(unknown.get_ref<const std::string&>());
    if (found == ids.end())
      return damaged("its unk_token " + shown(unknown) + " is not in its vocabulary: fetch the file again");
    options.unknown = found->second;
  }
  Result<CharacterBpe> bpe = CharacterBpe::make(ids, merges, options);
  if (!bpe) return bpe.error();
  vocabulary.model = *std::move(bpe);
  return ok();
}

}  // namespace

Result<ModelKind> model_kind(const json& model) {
  const json& type = value_of(model, "type");
  if (type == "Unigram") return ModelKind::kUnigram;
  // Files of old versions do not name the type.
  if (type != "BPE" && !(type.is_null() && model.contains("merges")))
    return Error{
        ErrorCode::kUnsupported,
        "its model has the type " + shown(type) +
            ", which is not supported (BERT's is WordPiece): CLIP's and SigLIP 2's are \"BPE\" and SigLIP's is "
            "\"Unigram\"; use such a model, or a text bank"};
  for (const char* key : {"dropout", "continuing_subword_prefix"})
    if (!is_off(model, key)) return unsupported(key, value_of(model, key));
  if (is_off(model, "end_of_word_suffix")) return ModelKind::kCharacterBpe;
  if (text_of(model, "end_of_word_suffix") != kEndOfWord)
    return unsupported("end_of_word_suffix", value_of(model, "end_of_word_suffix"));
  for (const char* key : {"byte_fallback", "ignore_merges"})
    if (!is_off(model, key)) return unsupported(key, value_of(model, key));
  return ModelKind::kClip;
}

Result<TokenIds> read_tokens(const json& model, ModelKind kind) {
  const json& vocab = value_of(model, "vocab");
  if ((vocab.is_array() || vocab.is_object()) && vocab.empty())
    return damaged("its vocabulary is empty: fetch the file again");
  if (kind != ModelKind::kUnigram) return read_ids(vocab);
  if (!vocab.is_array()) return damaged("its vocabulary is not a list of pieces and scores: fetch the file again");
  if (vocab.size() > kMaxTokenId) return damaged("its vocabulary has too many entries: fetch the file again");
  TokenIds ids;
  ids.reserve(vocab.size());
  TokenId next = 0;
  for (const json& entry : vocab) {
    if (!is_scored_piece(entry))
      return damaged("entry " + std::to_string(next) + " of its vocabulary is " + shown(entry) +
                     ", not a piece with its score: fetch the file again");
    ids[entry[0].get_ref<const std::string&>()] = next++;
  }
  return ids;
}

Status read_model(const json& model, ModelKind kind, const TokenIds& ids, Vocabulary& vocabulary) {
  if (kind == ModelKind::kUnigram) return read_unigram(model, vocabulary);
  const Result<Merges> merges = read_merge_list(value_of(model, "merges"));
  if (!merges) return merges.error();
  if (kind == ModelKind::kCharacterBpe) return read_character_bpe(model, ids, *merges, vocabulary);
  Result<Bpe> bpe = Bpe::make(ids, *merges, MergeTable::Order::kOneOccurrence);
  if (!bpe) return bpe.error();
  vocabulary.model = *std::move(bpe);
  return ok();
}

}  // namespace bcp::tokenize
