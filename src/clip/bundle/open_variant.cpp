// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/bundle/open_variant.hpp"

#include "clip/bundle/variant.hpp"

namespace bcp::clip {

Result<Bundle> open_variant(const std::string& path, onnx::Precision precision) {
  Result<Bundle> bundle = Bundle::open(path);
  if (!bundle || precision != onnx::Precision::kInt8 || bundle->int8) return bundle;
  const std::string variant = int8_variant(bundle->visual.file);
  if (!variant.empty()) return Bundle::open(variant);
  return Error{ErrorCode::kUnsupported, "precision=int8 cannot be used: the model " + bundle->name +
                                            " has no int8 variant of " + bundle->visual.file +
                                            "; make one with models/quantise.py, or set precision=auto"};
}

}  // namespace bcp::clip
