// SPDX-License-Identifier: LGPL-2.1-or-later
// Text in, the ids a text tower reads out.
//
// CLIP's byte-level BPE with CLIP's regular expression and CLIP's cleaning, so that the ids are those the model was
// trained with, to the last one: tests compare them with open_clip's SimpleTokenizer (ftfy's repair of mojibake left
// out). A tokenizer.json is read as Hugging Face's `tokenizers` reads it, with the cleaning and the words it asks for:
// CLIP's own kind, SigLIP's (Unigram) and SigLIP 2's (BPE by characters). Hugging Face's CLIP differs from OpenAI's in
// small ways, and each is right for its own models.
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

// What to do about a model that has only SentencePiece's own file; for error messages. That file does not say what is
// done to a text before and after, and every repository with ONNX files has a tokenizer.json, so one reader is enough.
inline constexpr std::string_view kTokenizerJsonWayOut =
    "take the tokenizer.json from the model's ONNX repository, or, where transformers has a fast tokenizer for it, "
    "write "
    "one: python3 -c \"from transformers import AutoTokenizer as T; "
    "T.from_pretrained('OWNER/MODEL').backend_tokenizer.save('tokenizer.json')\"";

class Tokenizer {
 public:
  // CLIP's own vocabulary, which is built in.
  static Result<Tokenizer> clip();
  // From a file: tokenizer.json; vocab.json, with merges.txt beside it; or bpe_simple_vocab_16e6.txt; each plain or
  // gzipped. The content decides the format, not the name. Anything else, or a damaged file, is an error that
  // names it. kLower lowers the case of texts first, for models whose tokenizer.json does not say that they were
  // trained so (SigLIP 2).
  enum class Case { kAsTheFileSays, kLower };
  static Result<Tokenizer> open(const std::string& path, Case letter_case = Case::kAsTheFileSays);

  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  // The ids of `text` between start and end token, where the vocabulary has them. What does not fit into `length` ids
  // is cut off, and the end token kept. Bytes that are no valid UTF-8 are read as U+FFFD. REQUIRES: length >= 2.
  std::vector<TokenId> ids(std::string_view text, std::size_t length = kContextLength) const;

  // One more than the highest id.
  TokenId size() const;
  // Empty where texts begin or end without one: SigLIP has only an end.
  std::optional<TokenId> start() const;
  std::optional<TokenId> end() const;
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
