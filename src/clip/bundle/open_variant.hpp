// SPDX-License-Identifier: LGPL-2.1-or-later
// A bundle in the precision that the user set.

#pragma once

#include <string>

#include "base/result.hpp"
#include "clip/bundle/bundle.hpp"
#include "onnx/execution.hpp"

namespace bcp::clip {

// Like Bundle::open(); kInt8 selects the int8 variant of the image tower (variant.hpp), and a missing variant is an
// error.
Result<Bundle> open_variant(const std::string& path, onnx::Precision precision);

}  // namespace bcp::clip
