// SPDX-License-Identifier: LGPL-2.1-or-later
// The listening socket of an HTTP server.

#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "gst-bcp/common/http_address.hpp"
#include "gst-bcp/common/http_connections.hpp"

namespace bcp::cli {

struct HttpSocket {
  ObjectPtr<GSocket> socket;  // listening, not blocking
  std::uint16_t port = 0;     // the one that was taken
  std::string url;            // "http://127.0.0.1:9100"
};

// Listens from now on; an error says why it cannot.
Result<HttpSocket> open_http_socket(const HttpAddress& address);

}  // namespace bcp::cli
