// SPDX-License-Identifier: LGPL-2.1-or-later
// An HTTP client (libsoup 3) for downloads: one request at a time, redirects followed, bodies passed on as they arrive.
//
// It has its own GMainContext and blocks the thread that uses it, never the main loop. The proxy is the one that GLib
// finds (https_proxy, or the desktop's settings). No compression is requested, so that the bytes of the answer are the
// bytes of the file.

#pragma once

#include <gio/gio.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bcp::cli::get {

struct HttpRequest {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers = {};
  // Sent as a bearer token, and only while the request goes to the host, port and scheme of `url`: a redirect to
  // another host must not see it.
  std::string token = {};
};

struct HttpFault {
  enum class Kind {
    kAddress,      // not an http or https address
    kUnreachable,  // no connection: name not found, refused, no route
    kUntrusted,    // the server's certificate
    kNoTls,        // GLib has no TLS on this machine
    kCut,          // a connection that ended or timed out too early
    kRedirect,     // too many, from https to http, or to an invalid address
    kCancelled,
  };
  Kind kind = Kind::kCut;
  std::string reason;  // for people
};

struct HttpAnswer {
  std::optional<HttpFault> fault;  // unset: the answer is complete, or its reader stopped it
  unsigned status = 0;             // of HTTP; 0: no answer came
  std::string url;                 // that answered or could not be reached, after redirects; as shown_url() shows it
  // Names in small letters. Headers of redirecting servers are included; of several with one name, the first counts.
  std::map<std::string, std::string, std::less<>> headers;

  // Empty: not sent.
  std::string header(std::string_view name) const;
};

// Belongs to the thread that made it.
class HttpClient {
 public:
  // `cancel` ends a request from any thread; it outlives this. `timeout`: seconds without data.
  HttpClient(GCancellable* cancel, int timeout);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Both are called only for an answer with a status of 200 to 299; false ends the request.
  using OnHead = std::function<bool(const HttpAnswer& answer)>;
  using OnBytes = std::function<bool(std::string_view bytes)>;
  HttpAnswer get(const HttpRequest& request, const OnHead& on_head, const OnBytes& on_bytes);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// "example.org" or "127.0.0.1:8080": the host of an address, for people. shown_url() if it is not an address.
std::string host_of(const std::string& url);

// The address without its possible secrets: user, password, query (signatures) and fragment. Use it for every address
// that is printed or stored.
std::string shown_url(const std::string& url);

}  // namespace bcp::cli::get
