// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/http_request.hpp"

#include <algorithm>

namespace bcp::cli {
namespace {

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

// A proxy names the server too.
std::string_view without_authority(std::string_view target) {
  constexpr std::string_view kScheme = "http://";
  if (!target.starts_with(kScheme)) return target;
  target.remove_prefix(kScheme.size());
  const std::size_t slash = target.find('/');
  return slash == std::string_view::npos ? std::string_view("/") : target.substr(slash);
}

}  // namespace

bool is_whole_head(std::string_view bytes) {
  return bytes.find("\r\n\r\n") != std::string_view::npos || bytes.find("\n\n") != std::string_view::npos;
}

std::optional<HttpRequest> parse_http_request(std::string_view head) {
  std::string_view line = head.substr(0, head.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  const std::string_view method = line.substr(0, first), version = line.substr(last + 1);
  std::string_view target = without_authority(line.substr(first + 1, last - first - 1));
  target = target.substr(0, target.find('?'));
  if (!is_token(method) || !version.starts_with("HTTP/1.") || !target.starts_with('/') || !is_printable(target))
    return std::nullopt;
  return HttpRequest{std::string(method), std::string(target)};
}

}  // namespace bcp::cli
