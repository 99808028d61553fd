// SPDX-License-Identifier: LGPL-2.1-or-later
// The text tower: texts in, unit embeddings out.
//
// Opening one runs the self-test: two different texts must give embeddings that are finite, longer than 1e-3 before
// normalising, and different from each other; the bundle's expected ids and embedding of one text must match; and the
// vocabulary must have the size of the tower's table. The tokenizer of another model would give plausible but useless
// scores.
//
// Thread safety: encode() may be called by one thread at a time.

#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/result.hpp"
#include "clip/bundle/bundle.hpp"
#include "clip/text_bank.hpp"
#include "clip/text_input.hpp"
#include "onnx/execution.hpp"

namespace bcp::clip {

class TextEncoder {
 public:
  // Checks the text tower without loading it: its file, its tensors, and that the embedding size is the bundle's.
  // REQUIRES: bundle.textual.
  static Status check(const Bundle& bundle);

  // REQUIRES: bundle.textual.
  static Result<std::unique_ptr<TextEncoder>> open(const Bundle& bundle, const onnx::SessionOptions& options);
  ~TextEncoder();

  int embedding_size() const;
  const TextInput& input() const;
  // The number of texts per run; best pass at most this many to encode().
  std::size_t batch() const;

  // One row per text. Longer texts are cut to the tower's length, like in CLIP. REQUIRES: texts is not empty.
  Result<TextMatrix> encode(std::span<const std::string> texts);

 private:
  TextEncoder();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bcp::clip
