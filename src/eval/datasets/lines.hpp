// SPDX-License-Identifier: LGPL-2.1-or-later
// The lines of a text file, trimmed, without empty ones: such lists come from many editors and systems.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp::eval {

Result<std::vector<std::string>> read_lines(const std::string& path);

}  // namespace bcp::eval
