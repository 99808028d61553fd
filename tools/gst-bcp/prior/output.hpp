// SPDX-License-Identifier: LGPL-2.1-or-later
// Files that commands write: nothing is overwritten by accident.

#pragma once

#include <string>

#include "base/result.hpp"

namespace bcp::cli {

// Whether `path` can be written: an existing file only with `force`, the option --force.
Status check_output_file(const std::string& path, bool force);

}  // namespace bcp::cli
