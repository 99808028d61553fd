// SPDX-License-Identifier: LGPL-2.1-or-later
// SentencePiece's normalisation (precompiled_charsmap), as applied by Hugging Face's `tokenizers`: a table of
// replacements, found through a double-array trie (Darts).
//
// `tokenizers` differs from SentencePiece, and its ids are the reference here: it processes one grapheme at a time,
// replaces a whole grapheme of less than 6 bytes by the replacement of its shortest prefix, and else looks up each code
// point. So "ﬁ" with an accent loses the accent.
//
// Immutable: any number of threads may apply one.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tokenize/pattern.hpp"

namespace bcp::tokenize {

class Precompiled {
 public:
  // From the bytes as base64. Damaged data is an error; messages do not name the file.
  static Result<Precompiled> make(const std::string& base64);

  // REQUIRES: well-formed UTF-8.
  std::string apply(std::string_view text) const;

 private:
  explicit Precompiled(Pattern grapheme) : grapheme_(std::move(grapheme)) {}

  Status check() const;
  // The replacement of the shortest prefix of `text` in the table.
  std::optional<std::string_view> find(std::string_view text) const;

  std::vector<std::uint32_t> units_;  // the trie
  std::string strings_;               // each ends with a zero byte
  Pattern grapheme_;
};

}  // namespace bcp::tokenize
