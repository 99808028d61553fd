// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/responses.hpp"

#include <array>
#include <utility>

namespace bcp::cli::view {
namespace {

// Scripts, styles and pictures come from this server only, and no other site may show the page in a frame.
constexpr std::array<std::pair<const char*, const char*>, 8> kHeaders{{
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
     "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
    {"Connection", "close"},
}};

}  // namespace

void respond(SoupServerMessage* message, unsigned status, std::string_view content_type, std::string_view body) {
  SoupMessageHeaders* headers = soup_server_message_get_response_headers(message);
  for (const auto& [name, value] : kHeaders) soup_message_headers_replace(headers, name, value);
  soup_server_message_set_status(message, status, nullptr);
  // For HEAD libsoup sends the length of the body, and not the body.
  soup_server_message_set_response(message, std::string(content_type).c_str(), SOUP_MEMORY_COPY, body.data(),
                                   body.size());
}

void respond(SoupServerMessage* message, const ApiReply& reply) {
  // Labels are valid UTF-8; other texts may not be.
  respond(message, reply.status, "application/json",
          reply.body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void refuse(SoupServerMessage* message, Verdict verdict) {
  switch (verdict) {
    case Verdict::kWrongHost:
      return respond(message, refusal(SOUP_STATUS_MISDIRECTED_REQUEST,
                                      "this host name is not known here: use the IP address, or start the run with "
                                      "--view-host and this name"));
    case Verdict::kForeign:
      return respond(message, refusal(SOUP_STATUS_FORBIDDEN, "the request came from another site"));
    case Verdict::kNoSession:
      return respond(message, refusal(SOUP_STATUS_UNAUTHORIZED, "log in first, at /login"));
    case Verdict::kNoToken:
    case Verdict::kAllowed:
      return respond(message, refusal(SOUP_STATUS_FORBIDDEN,
                                      "a change needs the page's token (X-Bcp-Token): load the page again"));
  }
}

void redirect(SoupServerMessage* message, const char* path) {
  respond(message, SOUP_STATUS_SEE_OTHER, "text/plain; charset=utf-8", "");
  soup_message_headers_replace(soup_server_message_get_response_headers(message), "Location", path);
}

std::string stream_head(std::string_view content_type) {
  std::string head = "HTTP/1.1 200 OK\r\nContent-Type: " + std::string(content_type) + "\r\n";
  for (const auto& [name, value] : kHeaders) head += std::string(name) + ": " + value + "\r\n";
  return head + "\r\n";
}

}  // namespace bcp::cli::view
