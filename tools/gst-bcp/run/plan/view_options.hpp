// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the live page is served: --view and its companions, checked.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/common/http_address.hpp"

namespace bcp::cli::run {

struct ViewOptions {
  std::string address;             // PORT or ADDRESS:PORT; empty: nowhere
  std::string password_file;       // needed for addresses other than loopback
  std::vector<std::string> hosts;  // more names by which browsers may address this machine

  bool operator==(const ViewOptions&) const = default;
};

struct ViewPlace {
  HttpAddress address;
  std::optional<std::string> password;  // the first line of the file; unset: none is needed
};

// Reads the password. An error is the command line's and names the option. REQUIRES: there is an address.
Result<ViewPlace> view_place(const ViewOptions& options);

// The first line of `file`. An error begins with `option`.
Result<std::string> view_password(const std::string& option, const std::string& file);

// Whether the options fit together, also without an address.
Status check_view(const ViewOptions& options);

}  // namespace bcp::cli::run
