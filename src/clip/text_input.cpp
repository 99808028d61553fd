// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/text_input.hpp"

#include <utility>

namespace bcp::clip {

using tokenize::Tokenizer;

Result<TextInput> TextInput::open(const Bundle& bundle, const onnx::TensorInfo& ids) {
  const TextTower& tower = *bundle.textual;
  const auto letter_case = tower.lowercase ? Tokenizer::Case::kLower : Tokenizer::Case::kAsTheFileSays;
  Result<Tokenizer> tokenizer =
      tower.vocabulary.empty() ? Tokenizer::clip() : Tokenizer::open(tower.vocabulary, letter_case);
  if (!tokenizer) return tokenizer.error();
  TextInput input{.tokenizer = *std::move(tokenizer)};
  // A fixed length of the tower overrides the bundle's.
  input.length = static_cast<std::size_t>(ids.shape[1] > 1 ? ids.shape[1] : tower.context_length);
  input.padding = tower.padding.value_or(input.tokenizer.padding().value_or(0));
  input.pad_to_length = tower.pad_to_length;
  return input;
}

}  // namespace bcp::clip
