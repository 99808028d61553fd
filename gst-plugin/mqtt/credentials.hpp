// SPDX-License-Identifier: LGPL-2.1-or-later
// The files that a connection needs: passwords and certificates. `setting` is the name of the property or option that
// named the file; errors begin with it.

#pragma once

#include <string>

#include "base/result.hpp"

namespace bcp::mqtt {

// The first line of the file. Errors never contain it.
Result<std::string> read_password(const std::string& setting, const std::string& path);

// Whether the file can be read and is not empty. No file is named by an empty path, which is fine.
Status check_pem_file(const std::string& setting, const std::string& path);

}  // namespace bcp::mqtt
