// SPDX-License-Identifier: LGPL-2.1-or-later
// Checks that a model's weights exist and have the size that their shapes need, in the file itself or in external
// files.
//
// An external file must be in the model's directory, by its name or after resolving links: so a model behind links
// works (as in Hugging Face's cache), and no model can read other files.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "onnx/proto.hpp"

namespace bcp::onnx::proto {

// The limit of numbers per tensor, above any valid model: 4 GiB of floats.
inline constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 30;

// "[2, 3]"
std::string describe_shape(const std::vector<std::int64_t>& dims);

// The external weight files of `model` at `path`, each once, or the first error, which names `path`.
Result<std::vector<std::string>> check_weights(const Model& model, const std::string& path);

}  // namespace bcp::onnx::proto
