// SPDX-License-Identifier: LGPL-2.1-or-later
// Lists of merges: bpe_simple_vocab_16e6.txt, which also defines the ids, and the merges.txt of a vocab.json.
#include <utility>

#include "base/json.hpp"
#include "tokenize/vocabulary.hpp"

namespace bcp::tokenize {
namespace {

// CLIP has 49,152 tokens besides start and end: 256 bytes, 256 bytes at the end of a word, and the merges. The file has
// more merges, which all readers ignore.
constexpr std::size_t kClipMerges = 49152 - 256 - 2;

// The names of CLIP's two special tokens in the files of open_clip and Hugging Face.
constexpr std::string_view kOpenClipStart = "<start_of_text>", kOpenClipEnd = "<end_of_text>";
constexpr std::string_view kStart = "<|startoftext|>", kEnd = "<|endoftext|>";

Error wrong(std::string reason) {
  return Error{ErrorCode::kInvalid, std::move(reason)};
}

// The pairs of `text`, at most `limit`. Its first line is a header.
Result<Merges> parse_merges(std::string_view text, std::size_t limit) {
  const std::size_t heading = text.find('\n');
  if (text.substr(0, heading).find("#version") == std::string_view::npos)
    return wrong(
        "its format is unknown (supported: tokenizer.json, vocab.json with merges.txt, bpe_simple_vocab_16e6.txt): "
        "a list of merges begins with a line \"#version: …\"");
  Merges merges;
  text.remove_prefix(heading == std::string_view::npos ? text.size() : heading + 1);
  while (!text.empty() && merges.size() < limit) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() && text.empty()) break;
    const std::size_t space = line.find(' ');
    const bool is_pair = space != std::string_view::npos && space != 0 && space + 1 != line.size() &&
                         line.find(' ', space + 1) == std::string_view::npos;
    if (!is_pair)
      return wrong("line " + std::to_string(merges.size() + 2) +
                   " is not two tokens with a space between them: fetch the file again");
    merges.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
  return merges;
}

// The order in which OpenAI numbers the bytes: printable ones first.
std::vector<std::string> byte_tokens() {
  std::vector<std::string> printable, others;
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::string token = token_of_byte(static_cast<unsigned char>(byte));
    const bool is_other = token >= token_of_byte(0);  // written with code points from U+0100 on
    (is_other ? others : printable).push_back(std::move(token));
  }
  printable.insert(printable.end(), others.begin(), others.end());
  return printable;
}

}  // namespace

Result<Vocabulary> read_merges(std::string_view text) {
  const Result<Merges> merges = parse_merges(text, kClipMerges);
  if (!merges) return merges.error();
  if (merges->size() < kClipMerges)
    return wrong("it has " + std::to_string(merges->size()) + " merges but needs " + std::to_string(kClipMerges) +
                 ": it is truncated; fetch it again");
  TokenIds ids;
  ids.reserve(2 * 256 + kClipMerges + 2);
  const auto add = [&](std::string token) {
    return ids.emplace(std::move(token), static_cast<TokenId>(ids.size())).second;
  };
  const std::vector<std::string> bytes = byte_tokens();
  for (const std::string& token : bytes) add(token);
  for (const std::string& token : bytes) add(token + std::string(kEndOfWord));
  for (std::size_t i = 0; i < kClipMerges; ++i) {
    std::string joined((*merges)[i].first);
    if (!add(joined.append((*merges)[i].second)))
      return wrong("line " + std::to_string(i + 2) + " makes a token that exists already: fetch the file again");
  }
  Vocabulary vocabulary;
  const auto start = static_cast<TokenId>(ids.size()), end = start + 1;
  vocabulary.start = start;
  vocabulary.end = end;
  vocabulary.size = end + 1;
  vocabulary.specials = {{std::string(kOpenClipStart), start}, {std::string(kOpenClipEnd), end}};
  Result<Bpe> bpe = Bpe::make(ids, *merges, MergeTable::Order::kAllOccurrences);
  if (!bpe) return bpe.error();
  vocabulary.model = *std::move(bpe);
  return vocabulary;
}

Result<Vocabulary> read_vocab_json(const nlohmann::json& root, std::string_view merges_text) {
  const Result<TokenIds> ids = read_ids(root);
  if (!ids) return ids.error();
  const Result<Merges> merges = parse_merges(merges_text, kClipMerges);
  if (!merges) return merges.error();
  Vocabulary vocabulary;
  vocabulary.size = size_of(*ids);
  for (const auto& [start, end] : {std::pair(kStart, kEnd), std::pair(kOpenClipStart, kOpenClipEnd)}) {
    const auto first = ids->find(std::string(start)), last = ids->find(std::string(end));
    if (first == ids->end() || last == ids->end()) continue;
    vocabulary.start = first->second;
    vocabulary.end = last->second;
    vocabulary.specials = {{first->first, first->second}, {last->first, last->second}};
    Result<Bpe> bpe = Bpe::make(*ids, *merges, MergeTable::Order::kAllOccurrences);
    if (!bpe) return bpe.error();
    vocabulary.model = *std::move(bpe);
    return vocabulary;
  }
  return wrong("it has no tokens \"" + std::string(kStart) + "\" and \"" + std::string(kEnd) +
               "\", so it is not CLIP's: give the vocabulary of the text tower");
}

}  // namespace bcp::tokenize
