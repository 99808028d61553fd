// SPDX-License-Identifier: LGPL-2.1-or-later
// Tokens that are found in a text as they are written, before it is split into words.

#pragma once

#include <bitset>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenize/tokenizer.hpp"

namespace bcp::tokenize {

struct AddedToken {
  std::string text;
  TokenId id = 0;
};

class AddedTokens {
 public:
  struct Found {
    std::size_t at = 0, length = 0;
    TokenId id = 0;
  };

  void add(AddedToken token) {
    if (token.text.empty()) return;
    begins_.set(static_cast<unsigned char>(token.text[0]));
    tokens_.push_back(std::move(token));
  }

  // The first token in `text`; of several that begin there, the longest.
  std::optional<Found> find(std::string_view text) const {
    if (tokens_.empty()) return std::nullopt;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (!begins_.test(static_cast<unsigned char>(text[at]))) continue;
      Found best{at};
      for (const AddedToken& token : tokens_)
        if (token.text.size() > best.length && text.substr(at).starts_with(token.text))
          best = {at, token.text.size(), token.id};
      if (best.length > 0) return best;
    }
    return std::nullopt;
  }

 private:
  std::vector<AddedToken> tokens_;
  std::bitset<256> begins_;
};

}  // namespace bcp::tokenize
