// SPDX-License-Identifier: LGPL-2.1-or-later
// How OpenVINO is told to run a model, as its provider in ONNX Runtime takes it: names and texts.

#pragma once

#include <span>
#include <string>
#include <unordered_map>

#include "onnx/execution.hpp"
#include "onnx/tensor_info.hpp"

namespace bcp::onnx {

// `inputs`: the shapes the model is compiled for, batch and all; empty: as the model declares them.
std::unordered_map<std::string, std::string> openvino_config(int threads, Precision precision,
                                                             std::span<const TensorInfo> inputs);

}  // namespace bcp::onnx
