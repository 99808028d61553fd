// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/http_socket.hpp"

#include <utility>

namespace bcp::cli {
namespace {

constexpr int kBacklog = 64;  // clients that wait to be accepted

std::uint16_t taken_port(GSocket* socket) {
  const ObjectPtr<GSocketAddress> taken(g_socket_get_local_address(socket, nullptr));
  return taken ? g_inet_socket_address_get_port(G_INET_SOCKET_ADDRESS(taken.get())) : std::uint16_t{0};
}

}  // namespace

Result<HttpSocket> open_http_socket(const HttpAddress& address) {
  const bool is_v6 = address.host.find(':') != std::string::npos;
  const std::string base = "http://" + (is_v6 ? "[" + address.host + "]" : address.host) + ":";
  const ObjectPtr<GSocketAddress> wanted(g_inet_socket_address_new_from_string(address.host.c_str(), address.port));
  GError* fault = nullptr;
  ObjectPtr<GSocket> socket(
      g_socket_new(g_socket_address_get_family(wanted.get()), G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, &fault));
  if (socket) g_socket_set_listen_backlog(socket.get(), kBacklog);
  if (socket && g_socket_bind(socket.get(), wanted.get(), TRUE, &fault) && g_socket_listen(socket.get(), &fault)) {
    g_socket_set_blocking(socket.get(), FALSE);
    const std::uint16_t port = taken_port(socket.get());
    return HttpSocket{std::move(socket), port, base + std::to_string(port)};
  }
  const std::unique_ptr<GError, decltype(&g_error_free)> error(fault, g_error_free);
  const std::string where = base + std::to_string(address.port);
  if (g_error_matches(fault, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE))
    return Error{ErrorCode::kInvalid,
                 "cannot serve " + where + ": another program uses this port; give another port, or 0 for a free one"};
  return Error{ErrorCode::kRuntime, "cannot serve " + where + ": " + fault->message};
}

}  // namespace bcp::cli
