// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/prior/output.hpp"

#include <filesystem>
#include <system_error>

#include "base/file.hpp"

namespace bcp::cli {

Status check_output_file(const std::string& path, bool force) {
  std::error_code ignored;
  if (!force && std::filesystem::exists(path, ignored))
    return Error{ErrorCode::kInvalid, path + " exists and is not overwritten: choose another name, or give --force"};
  return check_replaceable(path);
}

}  // namespace bcp::cli
