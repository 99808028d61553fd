// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Temporary files (base/file.hpp) that killed processes have left behind.
//
// Thread safety: any thread.

#pragma once

#include <string>

namespace bcp {

// Removes the temporary files that processes killed more than a minute ago have left beside `path`. A file that a
// running process writes is locked, and stays.
void remove_leftovers(const std::string& path);

}  // namespace bcp
