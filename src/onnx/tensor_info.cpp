// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onnx/tensor_info.hpp"

namespace bcp::onnx {

std::string describe(const TensorInfo& tensor) {
  std::string sides;
  for (const std::int64_t side : tensor.shape)
    sides += (sides.empty() ? "" : ", ") + (side < 0 ? std::string("?") : std::to_string(side));
  return "\"" + tensor.name + "\" " + tensor.type + " [" + sides + "]";
}

std::string describe(const std::vector<TensorInfo>& tensors) {
  std::string list;
  for (const TensorInfo& tensor : tensors) list += (list.empty() ? "" : ", ") + describe(tensor);
  return list.empty() ? "none" : list;
}

bool holds_floats(const TensorInfo& tensor) {
  return tensor.type == "float" || tensor.type == "float16";
}

bool holds_pictures(const TensorInfo& tensor) {
  return holds_floats(tensor) && tensor.shape.size() == 4 && (tensor.shape[1] == 3 || tensor.shape[1] < 0);
}

bool holds_tokens(const TensorInfo& tensor) {
  return (tensor.type == "int32" || tensor.type == "int64") && tensor.shape.size() == 2;
}

}  // namespace bcp::onnx
