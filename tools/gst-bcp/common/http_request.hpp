// SPDX-License-Identifier: LGPL-2.1-or-later
// What of an HTTP request matters here: its first line.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bcp::cli {

struct HttpRequest {
  std::string method;
  std::string path;  // without the query; begins with a slash
};

// Whether the head of a request is whole: its empty line is there.
bool is_whole_head(std::string_view bytes);

// The request of a whole head, or nothing where that is no HTTP/1.
std::optional<HttpRequest> parse_http_request(std::string_view head);

}  // namespace bcp::cli
