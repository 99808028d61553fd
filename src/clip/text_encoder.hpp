// SPDX-License-Identifier: LGPL-2.1-or-later
// The text tower: texts in, unit embeddings out.
//
// Opening one runs the self-test: two different texts must give embeddings that are finite, longer than 1e-3 before
// normalising, and different from each other; what the bundle expects for one text, ids and embedding, must agree; and
// the vocabulary must have the size of the tower's table. A tokenizer of another model gives plausible nonsense, never
// an error.
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
  // What can be told about the text tower without loading it: that its file is sound, that it has the tensors of one,
  // and embeddings as wide as the bundle says. REQUIRES: bundle.textual.
  static Status check(const Bundle& bundle);

  // REQUIRES: bundle.textual.
  static Result<std::unique_ptr<TextEncoder>> open(const Bundle& bundle, const onnx::SessionOptions& options);
  ~TextEncoder();

  int embedding_size() const;
  const TextInput& input() const;
  // How many texts one run takes: where there are more, encode() is best called with as many at a time.
  std::size_t batch() const;

  // One row a text. A text longer than the tower reads is cut off, as CLIP does. REQUIRES: texts is not empty.
  Result<TextMatrix> encode(std::span<const std::string> texts);

 private:
  TextEncoder();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bcp::clip
