// SPDX-License-Identifier: LGPL-2.1-or-later
// CLIP's tokenizer: text in, the ids a text tower reads out.
//
// Byte-level BPE with CLIP's regular expression and CLIP's cleaning, so that the ids are those the model was trained
// with, to the last one: tests compare them with open_clip's SimpleTokenizer (ftfy's repair of mojibake left out). A
// vocabulary that brings its own normaliser (tokenizer.json) is cleaned as that file says instead; Hugging Face's fast
// tokenizer differs from OpenAI's in small ways, and each is right for its own models.
//
// Immutable once made: any number of threads may use one.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bcp::tokenize {

struct Vocabulary;

using TokenId = std::int32_t;

class Tokenizer {
 public:
  // CLIP's own vocabulary, which is built in.
  static Result<Tokenizer> clip();
  // From a file: bpe_simple_vocab_16e6.txt, plain or gzipped; vocab.json, with merges.txt beside it; or tokenizer.json.
  // The format is told by the content, not by the name. Anything else, or a damaged file, is an error that names it.
  static Result<Tokenizer> open(const std::string& path);

  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  // The ids of `text` between start and end token. What does not fit into `length` ids is cut off, and the end token
  // kept. Bytes that are no valid UTF-8 are read as U+FFFD. REQUIRES: length >= 2.
  std::vector<TokenId> ids(std::string_view text, std::size_t length = kContextLength) const;

  // One more than the highest id.
  TokenId size() const;
  TokenId start() const;
  TokenId end() const;
  // What follows the end token up to the context's length, where the vocabulary says so itself (tokenizer.json).
  std::optional<TokenId> padding() const;

  static constexpr std::size_t kContextLength = 77;

 private:
  struct Impl;
  static Result<Tokenizer> make(Result<Vocabulary> vocabulary);
  explicit Tokenizer(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace bcp::tokenize
