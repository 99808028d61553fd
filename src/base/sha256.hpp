// SPDX-License-Identifier: LGPL-2.1-or-later
// SHA-256 in lower-case hexadecimal: identifies a model and detects damaged files.

#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bcp {

Result<std::string> sha256(std::string_view bytes);

// Reads the file piece by piece: a model of several gigabytes costs time, not memory.
Result<std::string> sha256_of_file(const std::string& path);

}  // namespace bcp
