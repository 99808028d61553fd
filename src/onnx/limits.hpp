// SPDX-License-Identifier: LGPL-2.1-or-later
// Checks whether constants in a model could exhaust the memory when it runs.
//
// Finds tensors whose size is given by constants (a ConstantOfShape, an Expand, a Pad, ...) and larger than in any
// valid model. Sizes computed from the input are not checked here: they are limited while the model runs.

#pragma once

#include <string>

#include "base/result.hpp"
#include "onnx/proto.hpp"

namespace bcp::onnx::proto {

// The error names `path`, the node and the shape.
Status check_limits(const Model& model, const std::string& path);

}  // namespace bcp::onnx::proto
