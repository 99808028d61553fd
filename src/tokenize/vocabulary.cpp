// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/vocabulary.hpp"

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "base/json.hpp"
#include "tokenize/gunzip.hpp"

// Defined in clip_vocabulary.S.
extern "C" const char bcp_clip_vocabulary[], bcp_clip_vocabulary_end[];

namespace bcp::tokenize {
namespace {

namespace fs = std::filesystem;

// CLIP's tokenizer.json has 2.2 MB, SigLIP 2's 34 MB.
constexpr std::size_t kMaxFile = std::size_t{48} << 20;

// SentencePiece's own file, which is often next to a tokenizer.json: protobuf that begins with the first piece, a
// message (field 1) that begins with its text (field 1 again).
bool is_sentencepiece(std::string_view bytes) {
  return bytes.size() > 4 && bytes[0] == '\x0A' && bytes[2] == '\x0A' && bytes[3] > 0 && bytes[3] < bytes[1];
}

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
    return Error{root.error().code, path + " is " + root.error().message + "; it may be truncated: fetch it again"};
  std::string named = path;
  Result<Vocabulary> vocabulary = [&]() -> Result<Vocabulary> {
    // Must be an object, because "model" is also a word in a vocab.json.
    if (value_of(*root, "model").is_object()) return read_tokenizer_json(*root);
    const std::string merges_path = (fs::path(path).parent_path() / "merges.txt").string();
    Result<std::string> merges = read_unpacked(merges_path);
    if (!merges)
      return Error{merges.error().code,
                   "a vocab.json needs a merges.txt in the same directory (" + merges.error().message + ")"};
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
  if (is_sentencepiece(*text))
    return Error{ErrorCode::kUnsupported,
                 path + " is a SentencePiece model, which does not define how texts are cleaned: " +
                     std::string(kTokenizerJsonWayOut)};
  Result<Vocabulary> vocabulary = read_merges(*text);
  if (!vocabulary) return Error{vocabulary.error().code, path + ": " + vocabulary.error().message};
  return vocabulary;
}

Result<TokenIds> read_ids(const nlohmann::json& object) {
  constexpr TokenId kMaxId = 1 << 24;
  const auto wrong = [](std::string reason) { return Error{ErrorCode::kInvalid, std::move(reason)}; };
  if (!object.is_object()) return wrong("its vocabulary is not a JSON object of tokens and ids: check the path");
  TokenIds ids;
  ids.reserve(object.size());
  std::vector<bool> taken(kMaxId + 1);
  for (const auto& [token, value] : object.items()) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMaxId)
      return wrong("the token \"" + token + "\" has an id that is not an integer from 0 to " + std::to_string(kMaxId) +
                   ": fetch the file again");
    const auto id = value.get<TokenId>();
    if (taken[static_cast<std::size_t>(id)]) {
      const auto other = std::find_if(ids.begin(), ids.end(), [&](const auto& known) { return known.second == id; });
      return wrong("the tokens \"" + other->first + "\" and \"" + token + "\" have the same id " + std::to_string(id) +
                   ": fetch the file again");
    }
    taken[static_cast<std::size_t>(id)] = true;
    ids.emplace(token, id);
  }
  return ids;
}

TokenId size_of(const TokenIds& ids) {
  TokenId size = 0;
  for (const auto& [token, id] : ids) size = std::max(size, id + 1);
  return size;
}

}  // namespace bcp::tokenize
