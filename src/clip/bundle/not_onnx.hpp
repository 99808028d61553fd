// SPDX-License-Identifier: LGPL-2.1-or-later
// What people have in place of a model's ONNX files, told by its name or its first bytes: for messages that say what
// to do about it.

#pragma once

#include <string>

#include "base/result.hpp"

namespace bcp::clip {

// The weights of PyTorch in a directory: the name of one such file, empty where there is none.
std::string pytorch_weights(const std::string& directory);

// An error where the file is a pointer that Git LFS left in its place.
Status check_fetched(const std::string& path);

}  // namespace bcp::clip
