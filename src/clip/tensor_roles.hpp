// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds which tensors of a model are the pictures, the token ids and the embedding.
//
// Decides by what an output depends on, by type and shape, and then by the names exporters use. A name in bundle.json
// overrides this; without one, an ambiguity is an error that lists the candidates and the key.

#pragma once

#include <optional>

#include "base/result.hpp"
#include "clip/bundle/bundle.hpp"
#include "onnx/file.hpp"

namespace bcp::clip {

struct ImageTensors {
  onnx::TensorInfo input;   // float or float16 [batch, 3, size, size]
  onnx::TensorInfo output;  // float or float16 [batch, width], or [batch, vectors, width], of which the first is used
};
Result<ImageTensors> choose_image_tensors(const onnx::File& file, const Bundle& bundle);

struct TextTensors {
  onnx::TensorInfo ids;                  // int32 or int64 [batch, length]
  std::optional<onnx::TensorInfo> mask;  // the same; 1 for a token, 0 for padding
  onnx::TensorInfo output;               // like above; of [batch, length, width] the end token's is used
};
// REQUIRES: bundle.textual.
Result<TextTensors> choose_text_tensors(const onnx::File& file, const Bundle& bundle);

}  // namespace bcp::clip
