// SPDX-License-Identifier: LGPL-2.1-or-later
// Hugging Face's tokenizer.json. What CLIP's files use is read exactly; anything else is refused by its name rather
// than read nearly right.
#include <utility>

#include "base/json.hpp"
#include "tokenize/vocabulary.hpp"

namespace bcp::tokenize {
namespace {

using nlohmann::json;

// CLIP's regular expression, as its files write it. The second form has the two tokens in front.
constexpr std::string_view kWords = R"('s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)";
constexpr std::string_view kTokensAndWords =
    R"(<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)";

constexpr std::size_t kMaxShown = 200;

Error wrong(std::string reason) {
  return Error{ErrorCode::kInvalid, std::move(reason)};
}

// `what` in the file is `value`, which CLIP's files never say.
Error unknown(const std::string& what, const json& value) {
  std::string shown = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (shown.size() > kMaxShown) shown = shown.substr(0, kMaxShown) + "…";
  return Error{ErrorCode::kUnsupported,
               "its " + what + " is " + shown + ", which no CLIP tokenizer has: give the vocabulary of a CLIP model"};
}

Status read_step(const json& value, std::vector<Normalizer::Step>& steps) {
  const std::string_view type = text_of(value, "type");
  if (type == "Sequence" && value_of(value, "normalizers").is_array()) {
    for (const json& part : value_of(value, "normalizers"))
      if (Status read = read_step(part, steps); !read) return read;
  } else if (type == "NFC") {
    steps.push_back(Normalizer::Step::kCompose);
  } else if (type == "Lowercase") {
    steps.push_back(Normalizer::Step::kLowercase);
  } else if (type == "Replace" && text_of(value_of(value, "pattern"), "Regex") == R"(\s+)" &&
             text_of(value, "content") == " ") {
    steps.push_back(Normalizer::Step::kCollapseSpace);
  } else {
    return unknown("normalizer", value);
  }
  return ok();
}

// Gives the words, beside CLIP's usual ones, that the regular expression keeps together.
Result<std::vector<std::string>> read_pre_tokenizer(const json& value) {
  const json& parts = value_of(value, "pretokenizers");
  if (text_of(value, "type") != "Sequence" || !parts.is_array() || parts.size() != 2)
    return unknown("pre_tokenizer", value);
  const json &split = parts[0], &bytes = parts[1];
  const std::string_view pattern = text_of(value_of(split, "pattern"), "Regex");
  if (text_of(split, "type") != "Split" || (pattern != kWords && pattern != kTokensAndWords) ||
      text_of(split, "behavior") != "Removed" || value_of(split, "invert") != true)
    return unknown("pre_tokenizer", split);
  if (text_of(bytes, "type") != "ByteLevel" || !is_off(bytes, "add_prefix_space"))
    return unknown("pre_tokenizer", bytes);
  // Its own regular expression, which is on unless the file says no, takes nothing apart but those tokens.
  if (pattern != kTokensAndWords || value_of(bytes, "use_regex") != false) return std::vector<std::string>();
  return std::vector<std::string>{"<|startoftext|>", "<|endoftext|>"};
}

Result<std::string> token_named(const json& pair) {
  if (pair.is_array() && pair.size() == 2 && pair[0].is_string()) return pair[0].get<std::string>();
  return unknown("post_processor", pair);
}

struct Ends {
  std::string start, end;
};

// Start and end token, from the two kinds of post_processor that put them there.
Result<Ends> read_ends(const json& value) {
  const std::string_view type = text_of(value, "type");
  if (type == "RobertaProcessing" || type == "BertProcessing") {
    Result<std::string> start = token_named(value_of(value, "cls")), end = token_named(value_of(value, "sep"));
    if (!start || !end) return start ? end.error() : start.error();
    return Ends{*std::move(start), *std::move(end)};
  }
  const json& single = value_of(value, "single");
  if (type == "TemplateProcessing" && single.is_array() && single.size() == 3 && single[1].contains("Sequence")) {
    const std::string_view start = text_of(value_of(single[0], "SpecialToken"), "id");
    const std::string_view end = text_of(value_of(single[2], "SpecialToken"), "id");
    if (!start.empty() && !end.empty()) return Ends{std::string(start), std::string(end)};
  }
  return unknown("post_processor", value);
}

// Merges as lists of two tokens, or as one string with a space between them. They point into `value`.
Result<Merges> read_merge_list(const json& value) {
  if (!value.is_array()) return wrong("its model has no list of merges: fetch the file again");
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
        return wrong("merge " + number + " is not two tokens with a space between them: fetch the file again");
      merges.emplace_back(text.substr(0, space), text.substr(space + 1));
    } else {
      return wrong("merge " + number + " is no pair of tokens: fetch the file again");
    }
  }
  return merges;
}

Status check_model(const json& model) {
  const json& type = value_of(model, "type");
  // Files of old versions do not name the type.
  if (type != "BPE" && !(type.is_null() && model.contains("merges")))
    return Error{ErrorCode::kUnsupported,
                 "its model is of the type " + type.dump(-1, ' ', true, json::error_handler_t::replace) +
                     " and CLIP's is \"BPE\" (SigLIP and BERT have others): give the vocabulary of a CLIP model"};
  if (text_of(model, "end_of_word_suffix") != kEndOfWord)
    return unknown("end_of_word_suffix", value_of(model, "end_of_word_suffix"));
  for (const char* key : {"dropout", "continuing_subword_prefix", "byte_fallback", "ignore_merges"})
    if (!is_off(model, key)) return unknown(key, value_of(model, key));
  return ok();
}

// Adds to `ids` what the model does not list, and to `fast` what is to be found in a text.
Status read_added_tokens(const json& list, TokenIds& ids, Vocabulary::Fast& fast) {
  if (list.is_null()) return ok();
  if (!list.is_array()) return unknown("added_tokens", list);
  for (const json& token : list) {
    const json& id = value_of(token, "id");
    const std::string text(text_of(token, "content"));
    constexpr TokenId kMaxId = 1 << 24;
    if (text.empty() || !id.is_number_unsigned() || id.get<std::uint64_t>() > kMaxId)
      return unknown("added token", token);
    for (const char* key : {"single_word", "lstrip", "rstrip"})
      if (!is_off(token, key)) return unknown("added token", token);
    const auto number = id.get<TokenId>();
    if (const auto [known, is_new] = ids.emplace(text, number); !is_new && known->second != number)
      return wrong("the token \"" + text + "\" has two ids, " + std::to_string(known->second) + " and " +
                   std::to_string(number) + ": fetch the file again");
    if (value_of(token, "normalized") == true)
      fast.in_normalized_text.add({fast.normalizer.apply(text), number});
    else
      fast.in_raw_text.add({text, number});
  }
  return ok();
}

Result<std::optional<TokenId>> read_padding(const json& padding) {
  if (padding.is_null()) return std::optional<TokenId>();
  const json& id = value_of(padding, "pad_id");
  if (!id.is_number_unsigned() || id.get<std::uint64_t>() > 1 << 24) return unknown("padding", padding);
  return std::optional(id.get<TokenId>());
}

}  // namespace

Result<Vocabulary> read_tokenizer_json(const json& root) {
  const json& model = value_of(root, "model");
  if (Status checked = check_model(model); !checked) return checked.error();
  Vocabulary vocabulary;
  Vocabulary::Fast& fast = vocabulary.fast.emplace();
  if (const json& value = value_of(root, "normalizer"); !value.is_null())
    if (Status read = read_step(value, fast.normalizer.steps); !read) return read.error();
  Result<std::vector<std::string>> words = read_pre_tokenizer(value_of(root, "pre_tokenizer"));
  if (!words) return words.error();
  fast.whole_words = *std::move(words);

  Result<TokenIds> ids = read_ids(value_of(model, "vocab"));
  if (!ids) return ids.error();
  const Result<Merges> merges = read_merge_list(value_of(model, "merges"));
  if (!merges) return merges.error();
  Result<Bpe> bpe = Bpe::make(*ids, *merges, Bpe::Order::kOneOccurrence);
  if (!bpe) return bpe.error();
  vocabulary.bpe = *std::move(bpe);
  if (Status read = read_added_tokens(value_of(root, "added_tokens"), *ids, fast); !read) return read.error();

  const Result<Ends> ends = read_ends(value_of(root, "post_processor"));
  if (!ends) return ends.error();
  const auto start = ids->find(ends->start), end = ids->find(ends->end);
  if (start == ids->end() || end == ids->end())
    return wrong("its post_processor names the token \"" + (start == ids->end() ? ends->start : ends->end) +
                 "\", which is not among its tokens: fetch the file again");
  vocabulary.start = start->second;
  vocabulary.end = end->second;
  vocabulary.size = size_of(*ids);
  const Result<std::optional<TokenId>> padding = read_padding(value_of(root, "padding"));
  if (!padding) return padding.error();
  vocabulary.padding = *padding;
  return vocabulary;
}

}  // namespace bcp::tokenize
