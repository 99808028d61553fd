// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether a model's weights are where it says: as many bytes as their shapes need, in the file itself or in files
// beside it.
//
// A file beside it must lie in the model's own directory, as it was named or as it is once links are followed: so a
// model reached through links works (Hugging Face's cache is made of them), and none reads files elsewhere.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "onnx/proto.hpp"

namespace bcp::onnx::proto {

// No tensor of a sound model has more numbers: 4 GiB of floats.
inline constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 30;

// "[2, 3]"
std::string describe_shape(const std::vector<std::int64_t>& dims);

// The files beside `path` that hold weights of `model`, each once, or the first thing wrong. The error names `path`.
Result<std::vector<std::string>> check_weights(const Model& model, const std::string& path);

}  // namespace bcp::onnx::proto
