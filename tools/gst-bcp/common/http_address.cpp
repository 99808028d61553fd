// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/http_address.hpp"

#include <gio/gio.h>

#include <charconv>
#include <optional>
#include <string_view>

namespace bcp::cli {
namespace {

std::optional<std::uint16_t> port_of(std::string_view text) {
  unsigned port = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (fault != std::errc() || end != text.data() + text.size() || port > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(port);
}

// An IP address; if it names an interface (fe80::1%eth0), the interface must exist.
bool is_address_here(const std::string& host) {
  GSocketAddress* address =
      g_hostname_is_ip_address(host.c_str()) ? g_inet_socket_address_new_from_string(host.c_str(), 0) : nullptr;
  if (address) g_object_unref(address);
  return address != nullptr;
}

}  // namespace

Result<HttpAddress> parse_http_address(const std::string& text) {
  const Error wrong{ErrorCode::kInvalid,
                    "\"" + text +
                        "\" is not an address to listen at: give a port, or an IP address and a port, "
                        "as in 9100, 0.0.0.0:9100 or [::1]:9100"};
  const std::size_t colon = text.rfind(':');
  HttpAddress address;
  std::string_view port = text;
  if (colon != std::string::npos) {
    port.remove_prefix(colon + 1);
    address.host = text.substr(0, colon);
    const bool bracketed = address.host.starts_with('[') && address.host.ends_with(']');
    if (bracketed) address.host = address.host.substr(1, address.host.size() - 2);
    if (address.host == "localhost") address.host = "127.0.0.1";
    const bool has_colon = address.host.find(':') != std::string::npos;
    if (bracketed != has_colon || !is_address_here(address.host)) return wrong;
  }
  const std::optional<std::uint16_t> number = port_of(port);
  if (!number) return wrong;
  address.port = *number;
  return address;
}

}  // namespace bcp::cli
