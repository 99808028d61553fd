// SPDX-License-Identifier: LGPL-2.1-or-later
#include <filesystem>

#include "clip/bundle/limits.hpp"
#include "clip/bundle/model_config.hpp"
#include "tokenize/tokenizer.hpp"

namespace bcp::clip {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Folders with tokenizer files: Immich has them next to the text tower.
constexpr std::array<const char*, 3> kTokenizerFolders = {"", "textual/", "tokenizer/"};

std::string first_of(const std::string& directory, const std::vector<std::string>& names) {
  for (const std::string folder : kTokenizerFolders) {
    for (const std::string& name : names) {
      std::error_code ignored;
      if (std::string path = directory + "/" + folder + name; fs::is_regular_file(path, ignored)) return path;
    }
  }
  return {};
}

std::vector<std::string> in_folders(const std::string& name) {
  std::vector<std::string> names;
  for (const std::string folder : kTokenizerFolders) names.push_back(folder + name);
  return names;
}

// The padding token of tokenizer_config.json or special_tokens_map.json: a string, or an object with its content.
Result<std::string> padding_token(const std::string& directory) {
  for (const char* name : {"tokenizer_config.json", "special_tokens_map.json"}) {
    const Result<std::optional<JsonKeys>> keys = open_first(directory, in_folders(name));
    if (!keys) return keys.error();
    if (!*keys) continue;
    const json* token = (*keys)->find("pad_token");
    if (token && token->is_object()) token = (*keys)->find("pad_token.content");
    if (token && token->is_string()) return token->get<std::string>();
  }
  return std::string();
}

std::optional<int> id_in(const json* vocabulary, const std::string& token) {
  if (!vocabulary || !vocabulary->is_object()) return {};
  const auto found = vocabulary->find(token);
  if (found == vocabulary->end() || !found->is_number_integer() || *found < 0 || *found > kMaxTokenId) return {};
  return found->get<int>();
}

std::optional<int> id_in_added(const json* added, const std::string& token) {
  if (!added || !added->is_array()) return {};
  std::optional<int> id;
  for (const json& entry : *added)
    if (entry.is_object() && entry.value("content", json()) == token) id = id_in(&entry, "id");
  return id;
}

// Why a tokenizer.json is not supported; empty if it may be: only opening it shows that.
std::string unreadable(const JsonKeys& keys, bool is_clip) {
  const json *const type = keys.find("model.type"), *const words = keys.find("pre_tokenizer");
  if (type && type->is_string() && *type != "BPE" && *type != "Unigram")
    return keys.path() + " is of the type " + type->get<std::string>();
  const bool bytes =
      words && words->dump(-1, ' ', true, json::error_handler_t::replace).find("ByteLevel") != std::string::npos;
  if (!is_clip && bytes) return keys.path() + " is a different BPE from CLIP's and SigLIP 2's";
  return {};
}

// Reads tokenizer_config.json of a tokenizer other than CLIP's. For CLIP the model's own files have these values.
Status read_tokenizer_settings(const std::string& directory, ModelConfig& config) {
  const Result<std::optional<JsonKeys>> keys = open_first(directory, in_folders("tokenizer_config.json"));
  if (!keys) return keys.error();
  if (!*keys) return ok();
  if (const json* const side = (*keys)->find("padding_side"); side && *side == "left")
    config.no_clip_text = (*keys)->path() + " has padding_side left, but only padding on the right is supported";
  // A huge number means no limit.
  const json* const length = (*keys)->find("model_max_length");
  const bool limited = length && length->is_number_unsigned() && *length >= 2 && *length <= kMaxContext;
  if (limited && !config.context_length) config.context_length = Said<int>{length->get<int>(), (*keys)->path()};
  return ok();
}

// tokenizer.json: any tokenizer of Hugging Face. CLIP's is BPE whose words end in "</w>".
Status read_tokenizer(const std::string& directory, const std::string& path, const std::string& padding,
                      ModelConfig& config) {
  // SigLIP 2's vocabulary has 34 MB and is only read with the text tower.
  const Result<JsonKeys> keys = JsonKeys::open(path, "fetch it again", {"vocab", "merges"});
  if (!keys) return keys.error();
  const json* const suffix = keys->find("model.end_of_word_suffix");
  const bool is_clip = suffix && *suffix == "</w>";
  if (std::string why = unreadable(*keys, is_clip); !why.empty()) config.no_clip_text = std::move(why);
  if (!is_clip)
    if (Status read = read_tokenizer_settings(directory, config); !read) return read;
  if (padding.empty() || config.padding) return ok();
  config.padding = id_in_added(keys->find("added_tokens"), padding);
  if (config.padding || !is_clip) return ok();
  // open_clip pads with a token that is not among the added tokens.
  const Result<JsonKeys> whole = JsonKeys::open(path, "fetch it again");
  if (!whole) return whole.error();
  config.padding = id_in(whole->find("model.vocab"), padding);
  return ok();
}

}  // namespace

Status read_vocabulary_config(const std::string& directory, ModelConfig& config) {
  const Result<std::string> padding = padding_token(directory);
  if (!padding) return padding.error();
  if (const std::string tokenizer = first_of(directory, {"tokenizer.json"}); !tokenizer.empty()) {
    config.vocabulary = tokenizer;
    return read_tokenizer(directory, tokenizer, *padding, config);
  }
  if (const std::string vocabulary = first_of(directory, {"vocab.json"}); !vocabulary.empty()) {
    const std::string merges = (fs::path(vocabulary).parent_path() / "merges.txt").string();
    std::error_code ignored;
    if (!fs::is_regular_file(merges, ignored))
      return Error{ErrorCode::kNotFound, vocabulary + " needs merges.txt in the same directory: fetch that file too"};
    config.vocabulary = vocabulary;
    if (padding->empty() || config.padding) return ok();
    const Result<JsonKeys> keys = JsonKeys::open(vocabulary, "fetch it again");
    if (!keys) return keys.error();
    config.padding = id_in(keys->find(""), *padding);
    return ok();
  }
  config.vocabulary = first_of(directory, {"bpe_simple_vocab_16e6.txt.gz", "bpe_simple_vocab_16e6.txt"});
  if (!config.vocabulary.empty()) return ok();
  // SentencePiece's own file does not define how texts are cleaned; every repository with ONNX files has a
  // tokenizer.json.
  if (const std::string pieces = first_of(directory, {"spiece.model", "sentencepiece.bpe.model", "tokenizer.model"});
      !pieces.empty())
    config.no_clip_text =
        pieces + " is a SentencePiece model without a tokenizer.json: " + std::string(tokenize::kTokenizerJsonWayOut);
  else if (const std::string words = first_of(directory, {"vocab.txt"}); !words.empty())
    config.no_clip_text = words + " is the vocabulary of another tokenizer";
  return ok();
}

}  // namespace bcp::clip
