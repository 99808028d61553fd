// SPDX-License-Identifier: LGPL-2.1-or-later
// SentencePiece's fallback: unknown text is written as its bytes, each one a token, "<0x00>" to "<0xFF>".

#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <vector>

#include "tokenize/tokenizer.hpp"

namespace bcp::tokenize {

using ByteTokens = std::array<TokenId, 256>;  // -1 for a byte without a token

// `find` gives the id of a token, or -1.
template <typename Find>
ByteTokens byte_tokens(Find find) {
  ByteTokens tokens{};
  for (unsigned byte = 0; byte < tokens.size(); ++byte) {
    std::array<char, 8> name{};
    std::snprintf(name.data(), name.size(), "<0x%02X>", byte);
    tokens[byte] = find(std::string_view(name.data()));
  }
  return tokens;
}

// Appends the ids of all bytes of `text`. Returns false and appends nothing if a byte has no token.
inline bool append_bytes(std::string_view text, const ByteTokens& tokens, std::vector<TokenId>& ids) {
  const auto token_of = [&](char byte) { return tokens[static_cast<unsigned char>(byte)]; };
  if (std::any_of(text.begin(), text.end(), [&](char byte) { return token_of(byte) < 0; })) return false;
  for (const char byte : text) ids.push_back(token_of(byte));
  return true;
}

}  // namespace bcp::tokenize
