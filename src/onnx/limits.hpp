// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether running a model could take all memory because of a number that is written in it.
//
// Finds tensors whose size is given by constants (a ConstantOfShape, an Expand, a Pad, ...) and comes to more than any
// sound model has. Sizes that are computed from the input are not seen here: those are bounded while the model runs.

#pragma once

#include <string>

#include "base/result.hpp"
#include "onnx/proto.hpp"

namespace bcp::onnx::proto {

// The error names `path`, the node and the shape.
Status check_limits(const Model& model, const std::string& path);

}  // namespace bcp::onnx::proto
