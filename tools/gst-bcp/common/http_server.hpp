// SPDX-License-Identifier: LGPL-2.1-or-later
// An HTTP server (libsoup 3) for pages that programs and browsers fetch: GET and HEAD, one request a connection.
//
// It has its own thread and GMainContext: it answers while the program is busy, and no slow or malformed request delays
// the program. HttpConnections limits the number of clients and their time; libsoup limits the header of a request; the
// body of a request is read and dropped.
//
// Only this program links libsoup, never the plugin or a library that other programs load: a process that has loaded
// both libsoup 2.4 and libsoup 3 is aborted by either. GStreamer's souphttpsrc takes the one that is loaded already.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "gst-bcp/common/http_address.hpp"

namespace bcp::cli {

struct HttpPage {
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// Makes the page for each request, on the server's thread.
using HttpHandler = std::function<HttpPage()>;

// By path, as in "/metrics". Paths are matched whole; others are answered with 404.
using HttpPages = std::map<std::string, HttpHandler, std::less<>>;

class HttpServer {
 public:
  // Listens from now on; an error says why it cannot.
  static Result<std::unique_ptr<HttpServer>> listen(const HttpAddress& address, HttpPages pages);
  // Closes all connections, and returns when no handler is running.
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
