// SPDX-License-Identifier: LGPL-2.1-or-later
// The input of a bundle's text tower: which ids, how many, and the padding.
//
// Opening it reads the vocabulary and the tower's tensors; it loads no model.

#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "clip/bundle/bundle.hpp"
#include "clip/tensor_roles.hpp"
#include "tokenize/tokenizer.hpp"

namespace bcp::clip {

struct TextInput {
  tokenize::Tokenizer tokenizer;
  std::size_t length = tokenize::Tokenizer::kContextLength;  // ids per text
  tokenize::TokenId padding = 0;
  bool pad_to_length = false;  // always padded to `length`, with no mask: see TextTower

  // REQUIRES: bundle.textual; `ids` is the tower's input.
  static Result<TextInput> open(const Bundle& bundle, const onnx::TensorInfo& ids);

  // The ids of `text`, with start and end tokens if the vocabulary has them, without padding.
  std::vector<tokenize::TokenId> ids(std::string_view text) const { return tokenizer.ids(text, length); }
};

}  // namespace bcp::clip
