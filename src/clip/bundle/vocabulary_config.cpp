// SPDX-License-Identifier: LGPL-2.1-or-later
#include <filesystem>

#include "clip/bundle/model_config.hpp"

namespace bcp::clip {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kMaxTokenId = 16'777'215;

// Where tokenizer files lie: Immich has them beside the text tower.
constexpr std::array<const char*, 3> kFolders = {"", "textual/", "tokenizer/"};

std::string first_of(const std::string& directory, const std::vector<std::string>& names) {
  for (const std::string folder : kFolders) {
    for (const std::string& name : names) {
      std::error_code ignored;
      if (std::string path = directory + "/" + folder + name; fs::is_regular_file(path, ignored)) return path;
    }
  }
  return {};
}

std::vector<std::string> in_folders(const std::string& name) {
  std::vector<std::string> names;
  for (const std::string folder : kFolders) names.push_back(folder + name);
  return names;
}

// The token that follows the end, as tokenizer_config.json and special_tokens_map.json write it: a string, or an object
// with its content.
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

// tokenizer.json: any of Hugging Face's tokenizers. CLIP's is BPE whose words end in "</w>".
Status read_tokenizer(const std::string& path, const std::string& padding, ModelConfig& config) {
  const Result<JsonKeys> keys = JsonKeys::open(path, "fetch it again");
  if (!keys) return keys.error();
  const json* const type = keys->find("model.type");
  const json* const suffix = keys->find("model.end_of_word_suffix");
  if (type && type->is_string() && *type != "BPE")
    config.no_clip_text = path + " is of the type " + type->get<std::string>();
  else if (!suffix || *suffix != "</w>")
    config.no_clip_text = path + " is another BPE than CLIP's";
  if (padding.empty() || config.padding) return ok();
  config.padding = id_in(keys->find("model.vocab"), padding);
  const json* const added = keys->find("added_tokens");
  if (!added || !added->is_array()) return ok();
  for (const json& token : *added)
    if (token.is_object() && token.value("content", json()) == padding && token.contains("id") &&
        token["id"].is_number_integer() && token["id"] >= 0 && token["id"] <= kMaxTokenId)
      config.padding = token["id"].get<int>();
  return ok();
}

}  // namespace

Status read_vocabulary_config(const std::string& directory, ModelConfig& config) {
  const Result<std::string> padding = padding_token(directory);
  if (!padding) return padding.error();
  if (const std::string tokenizer = first_of(directory, {"tokenizer.json"}); !tokenizer.empty()) {
    config.vocabulary = tokenizer;
    return read_tokenizer(tokenizer, *padding, config);
  }
  if (const std::string vocabulary = first_of(directory, {"vocab.json"}); !vocabulary.empty()) {
    const std::string merges = (fs::path(vocabulary).parent_path() / "merges.txt").string();
    std::error_code ignored;
    if (!fs::is_regular_file(merges, ignored))
      return Error{ErrorCode::kNotFound,
                   vocabulary + " is half a vocabulary: merges.txt is not beside it; fetch that file too"};
    config.vocabulary = vocabulary;
    if (padding->empty() || config.padding) return ok();
    const Result<JsonKeys> keys = JsonKeys::open(vocabulary, "fetch it again");
    if (!keys) return keys.error();
    config.padding = id_in(keys->find(""), *padding);
    return ok();
  }
  config.vocabulary = first_of(directory, {"bpe_simple_vocab_16e6.txt.gz", "bpe_simple_vocab_16e6.txt"});
  if (!config.vocabulary.empty()) return ok();
  const std::string other =
      first_of(directory, {"spiece.model", "sentencepiece.bpe.model", "tokenizer.model", "vocab.txt"});
  if (!other.empty()) config.no_clip_text = other + " is the vocabulary of another tokenizer";
  return ok();
}

}  // namespace bcp::clip
