// SPDX-License-Identifier: LGPL-2.1-or-later
// Recognises other files in place of ONNX files, by name or first bytes, for errors that say what to do.

#pragma once

#include <string>

#include "base/result.hpp"

namespace bcp::clip {

// The name of a PyTorch weights file in the directory; empty if there is no such file.
std::string pytorch_weights(const std::string& directory);

// An error if the file is a Git LFS pointer.
Status check_fetched(const std::string& path);

}  // namespace bcp::clip
