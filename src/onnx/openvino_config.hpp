// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenVINO's settings as options of its provider in ONNX Runtime: names and values.

#pragma once

#include <span>
#include <string>
#include <unordered_map>

#include "onnx/execution.hpp"
#include "onnx/tensor_info.hpp"

namespace bcp::onnx {

// `inputs`: the shapes to compile the model for, including the batch; empty: as the model declares them.
std::unordered_map<std::string, std::string> openvino_config(int threads, Precision precision,
                                                             std::span<const TensorInfo> inputs);

}  // namespace bcp::onnx
