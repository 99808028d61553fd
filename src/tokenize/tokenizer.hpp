// SPDX-License-Identifier: LGPL-2.1-or-later
// Converts text to the ids of a text tower.
//
// CLIP's byte-level BPE with CLIP's regular expression and cleaning, so that the ids are exactly those of the model's
// training: tests compare them with open_clip's SimpleTokenizer (without ftfy's repair of mojibake). A tokenizer.json
// is read as in Hugging Face's `tokenizers`, with its cleaning and words: CLIP's, SigLIP's (Unigram) and SigLIP 2's
// (BPE by characters). Hugging Face's CLIP differs slightly from OpenAI's; each is right for its own models.
//
// Immutable: any number of threads may use one.

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

// Advice for models with only SentencePiece's own file, for error messages. That file does not define the steps before
// and after, and every repository with ONNX files has a tokenizer.json, so only that is supported.
inline constexpr std::string_view kTokenizerJsonWayOut =
    "use the tokenizer.json of the model's ONNX repository, or, if transformers has a fast tokenizer for it, "
    "create "
    "one: python3 -c \"from transformers import AutoTokenizer as T; "
    "T.from_pretrained('OWNER/MODEL').backend_tokenizer.save('tokenizer.json')\"";

class Tokenizer {
 public:
  // CLIP's vocabulary, which is built in.
  static Result<Tokenizer> clip();
  // From a file: tokenizer.json; vocab.json, with merges.txt in the same directory; or bpe_simple_vocab_16e6.txt; each
  // plain or gzipped. The format is found by content, not by name. Anything else, or a damaged file, is an error that
  // names it. kLower converts texts to lower case first, for models trained so whose tokenizer.json does not do it
  // (SigLIP 2).
  enum class Case { kAsTheFileSays, kLower };
  static Result<Tokenizer> open(const std::string& path, Case letter_case = Case::kAsTheFileSays);

  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  // The ids of `text` between the start and end tokens, if the vocabulary has them. Longer texts are cut to `length`
  // ids, keeping the end token. Invalid UTF-8 becomes U+FFFD. REQUIRES: length >= 2.
  std::vector<TokenId> ids(std::string_view text, std::size_t length = kContextLength) const;

  // One more than the highest id.
  TokenId size() const;
  // Empty if texts have no start or end token: SigLIP has only an end.
  std::optional<TokenId> start() const;
  std::optional<TokenId> end() const;
  // The padding after the end token, if the vocabulary defines it (tokenizer.json).
  std::optional<TokenId> padding() const;

  static constexpr std::size_t kContextLength = 77;

 private:
  struct Impl;
  static Result<Tokenizer> make(Result<Vocabulary> vocabulary);
  explicit Tokenizer(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace bcp::tokenize
