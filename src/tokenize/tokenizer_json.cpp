// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/tokenizer_json.hpp"

#include <utility>

namespace bcp::tokenize {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxShown = 200;

// Adds to `ids` tokens that the model does not list, and to `fast` tokens to find in a text.
Status read_added_tokens(const json& list, TokenIds& ids, Vocabulary::Fast& fast) {
  if (list.is_null()) return ok();
  if (!list.is_array()) return unsupported("added_tokens", list);
  for (const json& token : list) {
    const json& id = value_of(token, "id");
    AddedToken added{std::string(text_of(token, "content"))};
    if (added.text.empty() || !id.is_number_unsigned() || id.get<std::uint64_t>() > kMaxTokenId)
      return unsupported("added token", token);
    if (!is_off(token, "single_word")) return unsupported("added token", token);
    added.id = id.get<TokenId>();
    added.takes_space_before = value_of(token, "lstrip") == true;
    added.takes_space_after = value_of(token, "rstrip") == true;
    if (const auto [known, is_new] = ids.emplace(added.text, added.id); !is_new && known->second != added.id)
      return damaged("the token \"" + added.text + "\" has two ids, " + std::to_string(known->second) + " and " +
                     std::to_string(added.id) + ": fetch the file again");
    if (value_of(token, "normalized") == true) {
      added.text = fast.normalizer.apply(added.text);
      fast.in_normalized_text.add(std::move(added));
    } else {
      fast.in_raw_text.add(std::move(added));
    }
  }
  return ok();
}

Result<std::optional<TokenId>> read_padding(const json& padding) {
  if (padding.is_null()) return std::optional<TokenId>();
  const json& id = value_of(padding, "pad_id");
  if (!id.is_number_unsigned() || id.get<std::uint64_t>() > kMaxTokenId || text_of(padding, "direction") == "Left")
    return unsupported("padding", padding);
  return std::optional(id.get<TokenId>());
}

// The beginning of the original text is known only if nothing was cut off or split before.
Status check_first(const PreTokenizer& pre_tokenizer, const Normalizer& normalizer, const json& value) {
  for (std::size_t i = 0; i < pre_tokenizer.steps.size(); ++i) {
    const auto* const step = std::get_if<PreTokenizer::Metaspace>(&pre_tokenizer.steps[i]);
    const bool is_first = step && step->prepend == PreTokenizer::Metaspace::Prepend::kFirst;
    if (is_first && (i > 0 || normalizer.may_remove_beginning())) return unsupported("pre_tokenizer", value);
  }
  return ok();
}

Status read_words(const json& value, ModelKind kind, Vocabulary::Fast& fast) {
  if (kind == ModelKind::kClip) {
    Result<std::vector<std::string>> words = read_clip_words(value);
    if (!words) return words.error();
    fast.whole_words = *std::move(words);
    return ok();
  }
  Result<PreTokenizer> pre_tokenizer = read_pre_tokenizer(value);
  if (!pre_tokenizer) return pre_tokenizer.error();
  if (Status checked = check_first(*pre_tokenizer, fast.normalizer, value); !checked) return checked;
  fast.pre_tokenizer = *std::move(pre_tokenizer);
  return ok();
}

}  // namespace

Error damaged(std::string reason) {
  return Error{ErrorCode::kInvalid, std::move(reason)};
}

Error unsupported(const std::string& what, const json& value) {
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kMaxShown) text = text.substr(0, kMaxShown) + "…";
  // In most JSON the type comes last and may be cut off.
  if (const std::string_view type = text_of(value, "type"); !type.empty())
    text = "of the type " + shown(type) + " (" + text + ")";
  return Error{ErrorCode::kUnsupported,
               "its " + what + " is " + text +
                   ", which is not supported: give the vocabulary of a CLIP or SigLIP model, or use a text bank"};
}

Result<Vocabulary> read_tokenizer_json(const json& root) {
  const json& model = value_of(root, "model");
  const Result<ModelKind> kind = model_kind(model);
  if (!kind) return kind.error();
  Vocabulary vocabulary;
  Vocabulary::Fast& fast = vocabulary.fast.emplace();
  Result<Normalizer> normalizer = read_normalizer(value_of(root, "normalizer"));
  if (!normalizer) return normalizer.error();
  fast.normalizer = *std::move(normalizer);
  if (Status read = read_words(value_of(root, "pre_tokenizer"), *kind, fast); !read) return read.error();

  Result<TokenIds> ids = read_tokens(model, *kind);
  if (!ids) return ids.error();
  if (Status read = read_model(model, *kind, *ids, vocabulary); !read) return read.error();
  if (Status read = read_added_tokens(value_of(root, "added_tokens"), *ids, fast); !read) return read.error();
  const json& post_processor = value_of(root, "post_processor");
  const Result<Ends> ends = read_ends(post_processor, *ids);
  if (!ends) return ends.error();
  // CLIP's towers take the embedding at the end token.
  if (*kind == ModelKind::kClip && (!ends->start || !ends->end)) return unsupported("post_processor", post_processor);
  vocabulary.start = ends->start;
  vocabulary.end = ends->end;
  vocabulary.size = size_of(*ids);
  const Result<std::optional<TokenId>> padding = read_padding(value_of(root, "padding"));
  if (!padding) return padding.error();
  vocabulary.padding = *padding;
  return vocabulary;
}

}  // namespace bcp::tokenize
