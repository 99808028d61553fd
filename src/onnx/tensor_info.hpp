// SPDX-License-Identifier: LGPL-2.1-or-later
// A tensor as a model declares it, and its possible role by shape and type.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bcp::onnx {

struct TensorInfo {
  std::string name;
  std::string type;                 // ONNX's name: "float", "float16", "int64", ...
  std::vector<std::int64_t> shape;  // -1: decided at run time
};

// `"pixel_values" float [?, 3, 224, 224]`, for messages.
std::string describe(const TensorInfo& tensor);
std::string describe(const std::vector<TensorInfo>& tensors);

// Could be an embedding: 32-bit or 16-bit floats.
bool holds_floats(const TensorInfo& tensor);
// Could be pictures: floats, four dimensions, three channels first.
bool holds_pictures(const TensorInfo& tensor);
// Could be token ids (or their mask): integers, two dimensions.
bool holds_tokens(const TensorInfo& tensor);

}  // namespace bcp::onnx
