// SPDX-License-Identifier: LGPL-2.1-or-later
// A bundle in the precision that the user asks for.

#pragma once

#include <string>

#include "base/result.hpp"
#include "clip/bundle/bundle.hpp"
#include "onnx/execution.hpp"

namespace bcp::clip {

// As Bundle::open(); with kInt8, the bundle with the int8 variant of its image tower (variant.hpp). An error where
// there is none.
Result<Bundle> open_variant(const std::string& path, onnx::Precision precision);

}  // namespace bcp::clip
