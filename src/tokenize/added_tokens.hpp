// SPDX-License-Identifier: LGPL-2.1-or-later
// Tokens that are matched literally in a text, before it is split into words.

#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenize/tokenizer.hpp"
#include "tokenize/unicode.hpp"

namespace bcp::tokenize {

struct AddedToken {
  std::string text;
  TokenId id = 0;
  bool takes_space_before = false, takes_space_after = false;  // white space next to it belongs to it
};

class AddedTokens {
 public:
  struct Found {
    std::size_t at = 0;
    const AddedToken* token = nullptr;
  };

  void add(AddedToken token) {
    if (token.text.empty()) return;
    begins_.set(static_cast<unsigned char>(token.text[0]));
    tokens_.push_back(std::move(token));
  }

  // The first token in `text` from `at` on; of several that begin there, the longest.
  std::optional<Found> find(std::string_view text, std::size_t at) const {
    if (tokens_.empty()) return std::nullopt;
    for (; at < text.size(); ++at) {
      if (!begins_.test(static_cast<unsigned char>(text[at]))) continue;
      Found best{at};
      for (const AddedToken& token : tokens_)
        if ((!best.token || token.text.size() > best.token->text.size()) && text.substr(at).starts_with(token.text))
          best.token = &token;
      if (best.token) return best;
    }
    return std::nullopt;
  }

  // Splits `text` into pieces until done(): tokens go to token(id), the text between them to between(text, where).
  // REQUIRES: well-formed UTF-8.
  template <typename Done, typename Token, typename Between>
  void split(std::string_view text, Done done, Token token, Between between) const {
    std::size_t begin = 0, searched = 0;
    while (!done()) {
      const std::optional<Found> found = find(text, searched);
      if (!found) break;
      std::size_t start = found->at, end = start + found->token->text.size();
      searched = end;
      if (found->token->takes_space_before)
        start = std::max(begin, start - unicode::trailing_space(text.substr(0, start)));
      if (found->token->takes_space_after) end += unicode::leading_space(text.substr(end));
      if (begin < start) between(text.substr(begin, start - begin), begin);
      token(found->token->id);
      begin = end;
    }
    if (!done() && begin < text.size()) between(text.substr(begin), begin);
  }

 private:
  std::vector<AddedToken> tokens_;
  std::bitset<256> begins_;
};

}  // namespace bcp::tokenize
