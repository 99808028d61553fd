// SPDX-License-Identifier: LGPL-2.1-or-later
// A tensor as a model declares it, and what its shape and type say about its role.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bcp::onnx {

struct TensorInfo {
  std::string name;
  std::string type;                 // ONNX's word for it: "float", "float16", "int64", ...
  std::vector<std::int64_t> shape;  // -1: decided at run time
};

// `"pixel_values" float [?, 3, 224, 224]`, for messages.
std::string describe(const TensorInfo& tensor);
std::string describe(const std::vector<TensorInfo>& tensors);

// Holds numbers an embedding may consist of: floats of 32 or 16 bits.
bool holds_floats(const TensorInfo& tensor);
// Could hold pictures: floats, four sides, three channels first.
bool holds_pictures(const TensorInfo& tensor);
// Could hold token ids (or a mask of them): whole numbers, two sides.
bool holds_tokens(const TensorInfo& tensor);

}  // namespace bcp::onnx
