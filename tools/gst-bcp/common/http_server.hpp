// SPDX-License-Identifier: LGPL-2.1-or-later
// A small HTTP server for pages that programs fetch: one request a connection, GET and HEAD, no more.
//
// It has a thread of its own, so that neither waits for the other: pages are answered while the program is busy, and no
// client, however slow or silly, holds up anything. A request has to be whole within seconds and short; of too
// many clients at once, the oldest are dropped.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bcp::cli {

// Where to listen: an IP address and a port; port 0 takes a free one.
struct HttpAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
};

// PORT or ADDRESS:PORT, as in 9100, 0.0.0.0:9100, [::1]:9100. Without an address only this machine is served.
Result<HttpAddress> parse_http_address(const std::string& text);

struct HttpPage {
  int status = 200;  // or 404
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

class HttpServer {
 public:
  // The page at a path, which begins with a slash. Called on the server's thread.
  using Pages = std::function<HttpPage(std::string_view path)>;

  // Listens from now on, or cannot and says why.
  static Result<std::unique_ptr<HttpServer>> listen(const HttpAddress& address, Pages pages);
  // Whoever is being served is cut off.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // "http://127.0.0.1:9100", with the port that was taken.
  const std::string& url() const;

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace bcp::cli
