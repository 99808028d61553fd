// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/request_parts.hpp"

#include <charconv>

namespace bcp::cli::view {
namespace {

constexpr std::size_t kMostCameras = 64;  // of one stream of pictures

std::string address_of(SoupServerMessage* message) {
  GSocketAddress* address = soup_server_message_get_remote_address(message);
  if (!address || !G_IS_INET_SOCKET_ADDRESS(address)) return {};
  gchar* text = g_inet_address_to_string(g_inet_socket_address_get_address(G_INET_SOCKET_ADDRESS(address)));
  std::string made = text;
  g_free(text);
  return made;
}

}  // namespace

Caller caller_of(SoupServerMessage* message) {
  SoupMessageHeaders* headers = soup_server_message_get_request_headers(message);
  const auto header = [headers](const char* name) {
    return text_or_empty(soup_message_headers_get_one(headers, name));
  };
  // Several headers of one name are joined by libsoup's list; the first of each counts here.
  return {.host = header("Host"),
          .origin = header("Origin"),
          .fetch_site = header("Sec-Fetch-Site"),
          .cookie = header("Cookie"),
          .token = header("X-Bcp-Token"),
          .address = address_of(message)};
}

std::map<std::string, std::string> query_of(GHashTable* query) {
  std::map<std::string, std::string> made;
  if (!query) return made;
  GHashTableIter at;
  gpointer key = nullptr, value = nullptr;
  g_hash_table_iter_init(&at, query);
  while (g_hash_table_iter_next(&at, &key, &value)) made[static_cast<char*>(key)] = static_cast<char*>(value);
  return made;
}

// "1,3" as numbers; unset: it is something else.
std::optional<std::set<CameraId>> cameras_in(const std::map<std::string, std::string>& query) {
  const auto list = query.find("cameras");
  std::set<CameraId> cameras;
  if (list == query.end()) return std::nullopt;
  for (const char *at = list->second.data(), *end = at + list->second.size(); at <= end;) {
    CameraId camera = 0;
    const auto [rest, fault] = std::from_chars(at, end, camera);
    if (fault != std::errc() || (rest != end && *rest != ',') || cameras.size() >= kMostCameras) return std::nullopt;
    cameras.insert(camera);
    at = rest + 1;
  }
  return cameras;
}

}  // namespace bcp::cli::view
