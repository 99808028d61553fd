// SPDX-License-Identifier: LGPL-2.1-or-later
// Where an HTTP server listens.

#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace bcp::cli {

// An IP address and a port; port 0 takes a free one.
struct HttpAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
};

// PORT or ADDRESS:PORT, as in 9100, 0.0.0.0:9100, [::1]:9100. Without an address only this machine is served.
Result<HttpAddress> parse_http_address(const std::string& text);

}  // namespace bcp::cli
