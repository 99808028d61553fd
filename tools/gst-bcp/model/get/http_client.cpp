// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/http_client.hpp"

#include <libsoup/soup.h>

#include <utility>

#include "gst-bcp/common/address.hpp"
#include "gst-bcp/common/http_connections.hpp"

namespace bcp::cli::get {
namespace {

constexpr int kMostRedirects = 10;
constexpr auto kUriFlags = static_cast<GUriFlags>(SOUP_HTTP_URI_FLAGS);
constexpr std::size_t kPiece = std::size_t{1} << 20;

struct UriUnref {
  void operator()(GUri* uri) const { g_uri_unref(uri); }
};
using UriPtr = std::unique_ptr<GUri, UriUnref>;
using ErrorPtr = std::unique_ptr<GError, decltype(&g_error_free)>;

bool is_https(GUri* uri) {
  return g_strcmp0(g_uri_get_scheme(uri), "https") == 0;
}

// Whether libsoup can use the address: "http:foo" and "http:///x" have no host.
bool is_web(GUri* uri) {
  const char* const host = g_uri_get_host(uri);
  return (is_https(uri) || g_strcmp0(g_uri_get_scheme(uri), "http") == 0) && host && *host;
}

// Null: not an http or https address.
UriPtr parse(const std::string& url) {
  UriPtr uri(g_uri_parse(url.c_str(), kUriFlags, nullptr));
  return uri && is_web(uri.get()) ? std::move(uri) : UriPtr();
}

UriPtr parse_relative(GUri* base, const std::string& location) {
  UriPtr uri(g_uri_parse_relative(base, location.c_str(), kUriFlags, nullptr));
  return uri && is_web(uri.get()) ? std::move(uri) : UriPtr();
}

std::string shown_uri(GUri* uri) {
  const std::unique_ptr<char, decltype(&g_free)> text(
      g_uri_to_string_partial(uri,
                              static_cast<GUriHideFlags>(G_URI_HIDE_USERINFO | G_URI_HIDE_QUERY | G_URI_HIDE_FRAGMENT)),
      g_free);
  return text.get();
}

bool same_origin(GUri* a, GUri* b) {
  return g_strcmp0(g_uri_get_scheme(a), g_uri_get_scheme(b)) == 0 && g_uri_get_port(a) == g_uri_get_port(b) &&
         g_ascii_strcasecmp(g_uri_get_host(a), g_uri_get_host(b)) == 0;
}

HttpFault::Kind kind_of(const GError* error) {
  using Kind = HttpFault::Kind;
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) return Kind::kCancelled;
  if (error->domain == G_RESOLVER_ERROR) return Kind::kUnreachable;
  if (error->domain == G_TLS_ERROR)
    return error->code == G_TLS_ERROR_UNAVAILABLE ? Kind::kNoTls
           : error->code == G_TLS_ERROR_EOF       ? Kind::kCut
                                                  : Kind::kUntrusted;
  for (const int code : {G_IO_ERROR_CONNECTION_REFUSED, G_IO_ERROR_HOST_UNREACHABLE, G_IO_ERROR_NETWORK_UNREACHABLE,
                         G_IO_ERROR_HOST_NOT_FOUND, G_IO_ERROR_PROXY_FAILED, G_IO_ERROR_PROXY_AUTH_FAILED,
                         G_IO_ERROR_PROXY_NEED_AUTH, G_IO_ERROR_PROXY_NOT_ALLOWED})
    if (g_error_matches(error, G_IO_ERROR, code)) return Kind::kUnreachable;
  return Kind::kCut;
}

HttpFault fault_of(GError* raw) {
  const ErrorPtr error(raw, g_error_free);
  if (!error) return {};
  return {kind_of(error.get()), error->message};
}

void keep_headers(SoupMessageHeaders* headers, HttpAnswer& answer) {
  soup_message_headers_foreach(
      headers,
      [](const char* name, const char* value, gpointer into) {
        const std::unique_ptr<char, decltype(&g_free)> small(g_ascii_strdown(name, -1), g_free);
        static_cast<HttpAnswer*>(into)->headers.emplace(small.get(), value);
      },
      &answer);
}

}  // namespace

std::string HttpAnswer::header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

class HttpClient::Impl {
 public:
  Impl(GCancellable* cancel, int timeout) : cancel_(cancel) {
    g_main_context_push_thread_default(context_);
    session_.reset(soup_session_new_with_options("timeout", static_cast<guint>(timeout), "user-agent",
                                                 "gst-bcp/" BCP_VERSION, nullptr));
    soup_session_remove_feature_by_type(session_.get(), SOUP_TYPE_CONTENT_DECODER);
  }

  ~Impl() {
    soup_session_abort(session_.get());
    session_.reset();
    while (g_main_context_iteration(context_, FALSE)) {
    }
    g_main_context_pop_thread_default(context_);
    g_main_context_unref(context_);
  }

  HttpAnswer get(const HttpRequest& request, const OnHead& on_head, const OnBytes& on_bytes) {
    HttpAnswer answer;
    answer.url = shown_url(request.url);
    const UriPtr first = parse(request.url);
    UriPtr uri = parse(request.url);
    if (!uri) return failed(answer, HttpFault::Kind::kAddress, "not an http or https address");
    for (int hops = 0;; ++hops) {
      if (hops > 0) answer.url = shown_uri(uri.get());
      if (is_https(uri.get()) && !g_tls_backend_supports_tls(g_tls_backend_get_default()))
        return failed(answer, HttpFault::Kind::kNoTls, "GLib has no TLS on this machine");
      if (is_https(first.get()) && !is_https(uri.get()))
        return failed(answer, HttpFault::Kind::kRedirect, "redirected from https to http, which is not followed");
      const ObjectPtr<SoupMessage> message = message_for(request, uri.get(), same_origin(first.get(), uri.get()));
      const std::string next = exchange(message.get(), answer, on_head, on_bytes);
      if (next.empty()) return answer;
      if (hops >= kMostRedirects)
        return failed(answer, HttpFault::Kind::kRedirect,
                      "redirected more than " + std::to_string(kMostRedirects) + " times");
      uri = parse_relative(uri.get(), next);
      if (!uri)
        return failed(answer, HttpFault::Kind::kRedirect,
                      "redirected by " + host_of(answer.url) + " to an address that is not http or https");
    }
  }

 private:
  static HttpAnswer& failed(HttpAnswer& answer, HttpFault::Kind kind, std::string reason) {
    answer.fault = HttpFault{kind, std::move(reason)};
    return answer;
  }

  static ObjectPtr<SoupMessage> message_for(const HttpRequest& request, GUri* uri, bool with_token) {
    ObjectPtr<SoupMessage> message(soup_message_new_from_uri("GET", uri));
    // Not by libsoup, which would send the token to the other host too.
    soup_message_add_flags(message.get(), SOUP_MESSAGE_NO_REDIRECT);
    SoupMessageHeaders* headers = soup_message_get_request_headers(message.get());
    soup_message_headers_replace(headers, "Accept-Encoding", "identity");
    for (const auto& [name, value] : request.headers)
      soup_message_headers_replace(headers, name.c_str(), value.c_str());
    if (with_token && !request.token.empty())
      soup_message_headers_replace(headers, "Authorization", ("Bearer " + request.token).c_str());
    return message;
  }

  // Returns where the answer redirects to; empty: it is the last.
  std::string exchange(SoupMessage* message, HttpAnswer& answer, const OnHead& on_head, const OnBytes& on_bytes) {
    GError* error = nullptr;
    const ObjectPtr<GInputStream> body(soup_session_send(session_.get(), message, cancel_, &error));
    if (!body) {
      answer.fault = fault_of(error);
      return {};
    }
    answer.status = soup_message_get_status(message);
    SoupMessageHeaders* headers = soup_message_get_response_headers(message);
    const bool redirects = answer.status >= 300 && answer.status < 400 && answer.status != 304;
    // Lengths and ranges of a redirect are about the redirect itself; other headers may describe the file.
    if (redirects)
      for (const char* name : {"Content-Length", "Content-Range", "ETag", "Last-Modified", "Retry-After"})
        soup_message_headers_remove(headers, name);
    const char* const location = redirects ? soup_message_headers_get_one(headers, "Location") : nullptr;
    const std::string next = location ? location : "";
    keep_headers(headers, answer);
    if (answer.status >= 200 && answer.status < 300 && on_head(answer)) read(body.get(), answer, on_bytes);
    // The rest of the body is not needed, and closing would read it.
    if (answer.status < 200 || answer.status >= 300) drain(body.get());
    return next;
  }

  void read(GInputStream* body, HttpAnswer& answer, const OnBytes& on_bytes) {
    std::size_t taken = 0;
    for (;;) {
      GError* error = nullptr;
      const gssize count = g_input_stream_read(body, buffer_.data(), buffer_.size(), cancel_, &error);
      if (count < 0) {
        answer.fault = fault_of(error);
        return;
      }
      if (count == 0) break;
      taken += static_cast<std::size_t>(count);
      if (!on_bytes(std::string_view(buffer_.data(), static_cast<std::size_t>(count)))) return;
    }
    const std::string length = answer.header("content-length");
    if (!length.empty() && g_ascii_strtoull(length.c_str(), nullptr, 10) > taken)
      answer.fault = HttpFault{HttpFault::Kind::kCut, "the connection was closed early"};
  }

  // A short body is read, so that the connection can be reused.
  void drain(GInputStream* body) { g_input_stream_read(body, buffer_.data(), buffer_.size(), cancel_, nullptr); }

  GCancellable* const cancel_;
  GMainContext* const context_ = g_main_context_new();
  ObjectPtr<SoupSession> session_;
  std::vector<char> buffer_ = std::vector<char>(kPiece);
};

HttpClient::HttpClient(GCancellable* cancel, int timeout) : impl_(std::make_unique<Impl>(cancel, timeout)) {}

HttpClient::~HttpClient() = default;

HttpAnswer HttpClient::get(const HttpRequest& request, const OnHead& on_head, const OnBytes& on_bytes) {
  return impl_->get(request, on_head, on_bytes);
}

std::string shown_url(const std::string& url) {
  if (const UriPtr uri = parse(url)) return shown_uri(uri.get());
  const std::string text = url.substr(0, url.find_first_of("?#"));
  // The user forgot "https://".
  if (const std::size_t at = text.rfind('@'); at != std::string::npos && text.find("://") == std::string::npos)
    return text.substr(at + 1);
  return run::shown_address(text);
}

std::string host_of(const std::string& url) {
  const UriPtr uri = parse(url);
  if (!uri) return shown_url(url);
  const std::string scheme = g_uri_get_scheme(uri.get()), host = g_uri_get_host(uri.get());
  const int port = g_uri_get_port(uri.get()), usual = scheme == "https" ? 443 : 80;
  return port < 0 || port == usual ? host : host + ":" + std::to_string(port);
}

}  // namespace bcp::cli::get
