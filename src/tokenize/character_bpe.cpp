// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/character_bpe.hpp"

#include <utility>

#include "tokenize/unicode.hpp"

namespace bcp::tokenize {

Result<CharacterBpe> CharacterBpe::make(const TokenIds& ids, const Merges& merges, const Options& options) {
  CharacterBpe bpe;
  bpe.options_ = options;
  for (const auto& [token, id] : ids) {
    std::size_t end = 0;
    if (token.empty()) continue;
    const char32_t first = unicode::next(token, end);
    if (end == token.size()) bpe.characters_.emplace(first, id);
  }
  bpe.bytes_ = byte_tokens([&](std::string_view name) {
    const auto found = ids.find(std::string(name));
    return found == ids.end() ? TokenId{-1} : found->second;
  });
  if (options.ignore_merges) bpe.words_ = ids;
  Result<MergeTable> table = MergeTable::make(ids, merges, MergeTable::Order::kOneOccurrence);
  if (!table) return table.error();
  bpe.merges_ = *std::move(table);
  return bpe;
}

void CharacterBpe::encode(std::string_view word, std::vector<TokenId>& ids) const {
  if (options_.ignore_merges)
    if (const auto whole = words_.find(std::string(word)); whole != words_.end()) return ids.push_back(whole->second);
  std::vector<TokenId> tokens;
  tokens.reserve(word.size());
  // An unknown character waits to be fused with the next one. As in the reference, only a known character ends the
  // wait: bytes written meanwhile come first.
  bool unknown = false;
  const auto write_unknown = [&] {
    if (std::exchange(unknown, false)) tokens.push_back(*options_.unknown);
  };
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t start = at;
    const auto known = characters_.find(unicode::next(word, at));
    if (known != characters_.end()) {
      write_unknown();
      tokens.push_back(known->second);
    } else if (options_.byte_fallback && append_bytes(word.substr(start, at - start), bytes_, tokens)) {
      continue;
    } else if (options_.unknown) {
      if (!options_.fuse_unknown) write_unknown();
      unknown = true;
    }
  }
  write_unknown();
  merges_.join(tokens, ids);
}

}  // namespace bcp::tokenize
