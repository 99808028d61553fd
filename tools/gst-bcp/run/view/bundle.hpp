// SPDX-License-Identifier: LGPL-2.1-or-later
// The files of the live page, which are part of the program. Nothing else is served from files.

#pragma once

#include <string_view>

namespace bcp::cli::view {

struct BundleFile {
  std::string_view content_type, bytes;
  bool is_public = false;  // also without a login
};

// By its whole path, as in "/main.js"; null: there is no such file.
const BundleFile* bundle_file(std::string_view path);

}  // namespace bcp::cli::view
