// SPDX-License-Identifier: LGPL-2.1-or-later
// A text file's lines, without white space at both ends and without those that are empty: lists were written by many
// editors on many systems.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp::eval {

Result<std::vector<std::string>> read_lines(const std::string& path);

}  // namespace bcp::eval
