// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/vocabulary.hpp"

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "base/json.hpp"
#include "tokenize/gunzip.hpp"

// Placed there by clip_vocabulary.S.
extern "C" const char bcp_clip_vocabulary[], bcp_clip_vocabulary_end[];

namespace bcp::tokenize {
namespace {

namespace fs = std::filesystem;

// CLIP's own tokenizer.json has 2.2 MB; other vocabularies several times that.
constexpr std::size_t kMaxFile = std::size_t{32} << 20;

// The file's bytes, unpacked.
Result<std::string> read_unpacked(const std::string& path) {
  Result<std::string> bytes = read_file(path, kMaxFile);
  if (!bytes || !is_gzip(*bytes)) return bytes;
  Result<std::string> text = gunzip(*bytes, kMaxFile);
  if (!text) return Error{text.error().code, path + ": " + text.error().message};
  return text;
}

Result<Vocabulary> read_json(const std::string& path, std::string_view text) {
  Result<nlohmann::json> root = parse_json(text);
  if (!root)
    return Error{root.error().code, path + " is " + root.error().message + "; it may be cut short: fetch it again"};
  std::string named = path;
  Result<Vocabulary> vocabulary = [&]() -> Result<Vocabulary> {
    // An object, because "model" is also a word that a vocab.json lists.
    if (value_of(*root, "model").is_object()) return read_tokenizer_json(*root);
    const std::string merges_path = (fs::path(path).parent_path() / "merges.txt").string();
    Result<std::string> merges = read_unpacked(merges_path);
    if (!merges)
      return Error{merges.error().code,
                   "read as vocab.json, it needs its merges.txt beside it (" + merges.error().message + ")"};
    named += " and " + merges_path;
    return read_vocab_json(*root, *merges);
  }();
  if (!vocabulary) return Error{vocabulary.error().code, named + ": " + vocabulary.error().message};
  return vocabulary;
}

}  // namespace

Result<Vocabulary> clip_vocabulary() {
  const auto size = static_cast<std::size_t>(bcp_clip_vocabulary_end - bcp_clip_vocabulary);
  const Result<std::string> text = gunzip({bcp_clip_vocabulary, size}, kMaxFile);
  if (!text) return Error{text.error().code, "CLIP's built-in vocabulary: " + text.error().message};
  return read_merges(*text);
}

Result<Vocabulary> open_vocabulary(const std::string& path) {
  const Result<std::string> text = read_unpacked(path);
  if (!text) return text.error();
  const std::size_t first = text->find_first_not_of(" \t\r\n");
  if (first != std::string::npos && (*text)[first] == '{') return read_json(path, *text);
  Result<Vocabulary> vocabulary = read_merges(*text);
  if (!vocabulary) return Error{vocabulary.error().code, path + ": " + vocabulary.error().message};
  return vocabulary;
}

Result<TokenIds> read_ids(const nlohmann::json& object) {
  constexpr TokenId kMaxId = 1 << 24;
  const auto wrong = [](std::string reason) { return Error{ErrorCode::kInvalid, std::move(reason)}; };
  if (!object.is_object()) return wrong("its vocabulary is no JSON object of tokens and ids: check the path");
  TokenIds ids;
  ids.reserve(object.size());
  std::unordered_map<TokenId, const std::string*> token_of;
  token_of.reserve(object.size());
  for (const auto& [token, value] : object.items()) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMaxId)
      return wrong("the token \"" + token + "\" has no whole number from 0 to " + std::to_string(kMaxId) +
                   " for its id: fetch the file again");
    const auto id = value.get<TokenId>();
    const auto added = ids.emplace(token, id).first;
    const auto [other, is_new] = token_of.emplace(id, &added->first);
    if (!is_new)
      return wrong("the tokens \"" + *other->second + "\" and \"" + token + "\" have the same id " +
                   std::to_string(id) + ": fetch the file again");
  }
  return ids;
}

TokenId size_of(const TokenIds& ids) {
  TokenId size = 0;
  for (const auto& [token, id] : ids) size = std::max(size, id + 1);
  return size;
}

}  // namespace bcp::tokenize
