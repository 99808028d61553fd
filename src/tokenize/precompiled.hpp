// SPDX-License-Identifier: LGPL-2.1-or-later
// SentencePiece's normalisation (precompiled_charsmap), as Hugging Face's `tokenizers` applies it: a table of what is
// replaced, found through a double-array trie (Darts), and the strings it is replaced by.
//
// `tokenizers` differs from SentencePiece, and its ids are the reference here: it looks at one grapheme at a time,
// replaces a whole one of less than 6 bytes by what its shortest beginning stands for, and else looks up each code
// point. "ﬁ" with an accent so loses the accent.
//
// Immutable once made: any number of threads may apply one.

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
  // From the bytes as base64. Whatever is damaged is an error; messages do not name the file.
  static Result<Precompiled> make(const std::string& base64);

  // REQUIRES: well-formed UTF-8.
  std::string apply(std::string_view text) const;

 private:
  explicit Precompiled(Pattern grapheme) : grapheme_(std::move(grapheme)) {}

  Status check() const;
  // What the shortest beginning of `text` in the table is replaced by.
  std::optional<std::string_view> find(std::string_view text) const;

  std::vector<std::uint32_t> units_;  // the trie
  std::string strings_;               // each ends with a zero byte
  Pattern grapheme_;
};

}  // namespace bcp::tokenize
