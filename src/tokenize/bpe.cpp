// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/bpe.hpp"

#include <utility>

#include "tokenize/unicode.hpp"

namespace bcp::tokenize {
namespace {

// Bytes that are printable in Latin-1 are written as themselves.
bool is_printable(unsigned byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
}

}  // namespace

std::string token_of_byte(unsigned char byte) {
  char32_t written = byte;
  if (!is_printable(byte)) {
    // The others use the code points from U+0100 on, in order.
    written = 0x100;
    for (unsigned other = 0; other < byte; ++other) written += is_printable(other) ? 0 : 1;
  }
  std::string token;
  unicode::append(token, written);
  return token;
}

Result<Bpe> Bpe::make(const TokenIds& ids, const Merges& merges, MergeTable::Order order) {
  Bpe bpe;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const std::string token = token_of_byte(static_cast<unsigned char>(byte));
    for (const bool last : {false, true}) {
      const std::string written = last ? token + std::string(kEndOfWord) : token;
      const auto found = ids.find(written);
      if (found == ids.end()) return missing_token(written, "byte-level text");
      (last ? bpe.last_ : bpe.inner_)[byte] = found->second;
    }
  }
  Result<MergeTable> table = MergeTable::make(ids, merges, order);
  if (!table) return table.error();
  bpe.merges_ = *std::move(table);
  return bpe;
}

void Bpe::encode(std::string_view word, std::vector<TokenId>& ids) const {
  std::vector<TokenId> bytes(word.size());
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto byte = static_cast<unsigned char>(word[i]);
    bytes[i] = i + 1 == word.size() ? last_[byte] : inner_[byte];
  }
  merges_.join(bytes, ids);
}

}  // namespace bcp::tokenize
