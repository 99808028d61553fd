// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/http_connections.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <utility>

namespace bcp::cli {
namespace {

constexpr guint kSecondsToRest = 1;  // when no connection can be accepted, for lack of descriptors

void drop(GSource*& source) {
  if (!source) return;
  g_source_destroy(source);
  g_source_unref(std::exchange(source, nullptr));
}

bool same_place(GSocketAddress* a, GSocketAddress* b) {
  if (!G_IS_INET_SOCKET_ADDRESS(a) || !G_IS_INET_SOCKET_ADDRESS(b)) return false;
  auto* one = G_INET_SOCKET_ADDRESS(a);
  auto* other = G_INET_SOCKET_ADDRESS(b);
  return g_inet_socket_address_get_port(one) == g_inet_socket_address_get_port(other) &&
         g_inet_address_equal(g_inet_socket_address_get_address(one), g_inet_socket_address_get_address(other));
}

}  // namespace

struct HttpConnections::Client {
  HttpConnections* all;
  GSocketConnection* connection;  // not owned: the HTTP server owns it
  GSource* timer;
  bool closing = false;

  // The HTTP server then reads the end of the stream, cannot write, and drops the connection.
  void close() {
    if (std::exchange(closing, true)) return;
    g_socket_shutdown(g_socket_connection_get_socket(connection), TRUE, TRUE, nullptr);
  }

  static gboolean on_timeout(gpointer self) {
    static_cast<Client*>(self)->close();
    return G_SOURCE_REMOVE;
  }
  static void on_gone(gpointer self, GObject*) {
    auto* client = static_cast<Client*>(self);
    client->all->forget(client);
  }
};

HttpConnections::HttpConnections(GSocket* listening, Serve serve, Limits limits)
    : listening_(listening), serve_(std::move(serve)), limits_(limits) {
  watch();
}

HttpConnections::~HttpConnections() {
  drop(source_);
  for (const auto& client : clients_) {
    g_object_weak_unref(G_OBJECT(client->connection), Client::on_gone, client.get());
    drop(client->timer);
  }
}

void HttpConnections::watch() {
  drop(source_);
  source_ = g_socket_create_source(listening_, G_IO_IN, nullptr);
  const GSocketSourceFunc on_ready = [](GSocket*, GIOCondition, gpointer self) -> gboolean {
    auto& connections = *static_cast<HttpConnections*>(self);
    if (connections.accept()) return G_SOURCE_CONTINUE;
    connections.rest();
    return G_SOURCE_REMOVE;
  };
  g_source_set_callback(source_, G_SOURCE_FUNC(on_ready), this, nullptr);
  g_source_attach(source_, g_main_context_get_thread_default());
}

// An immediate retry would spin: the client that cannot be accepted stays in the queue.
void HttpConnections::rest() {
  drop(source_);
  source_ = g_timeout_source_new_seconds(kSecondsToRest);
  g_source_set_callback(
      source_, [](gpointer self) -> gboolean { return static_cast<HttpConnections*>(self)->watch(), G_SOURCE_REMOVE; },
      this, nullptr);
  g_source_attach(source_, g_main_context_get_thread_default());
}

// False: no connection can be accepted at present.
bool HttpConnections::accept() {
  GError* fault = nullptr;
  const ObjectPtr<GSocket> socket(g_socket_accept(listening_, nullptr, &fault));
  if (!socket) {
    const std::unique_ptr<GError, decltype(&g_error_free)> error(fault, g_error_free);
    // No pause after a client that has already disconnected.
    return g_error_matches(fault, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK) ||
           g_error_matches(fault, G_IO_ERROR, G_IO_ERROR_CONNECTION_CLOSED);
  }
  // The header and body of a response are two writes: the second would wait for the acknowledgement of the first.
  g_socket_set_option(socket.get(), IPPROTO_TCP, TCP_NODELAY, TRUE, nullptr);
  if (clients_.size() >= limits_.clients) close_oldest();
  const ObjectPtr<GSocketConnection> connection(g_socket_connection_factory_create_connection(socket.get()));
  add(connection.get());
  serve_(connection.get());
  return true;
}

void HttpConnections::add(GSocketConnection* connection) {
  auto client = std::make_unique<Client>(Client{this, connection, g_timeout_source_new_seconds(limits_.seconds)});
  g_source_set_callback(client->timer, Client::on_timeout, client.get(), nullptr);
  g_source_attach(client->timer, g_main_context_get_thread_default());
  g_object_weak_ref(G_OBJECT(connection), Client::on_gone, client.get());
  clients_.push_back(std::move(client));
}

void HttpConnections::close_oldest() {
  const auto oldest =
      std::find_if(clients_.begin(), clients_.end(), [](const auto& client) { return !client->closing; });
  if (oldest != clients_.end()) (*oldest)->close();
}

ObjectPtr<GSocket> HttpConnections::release(GSocketAddress* remote) {
  const auto found = std::find_if(clients_.begin(), clients_.end(), [remote](const auto& client) {
    const ObjectPtr<GSocketAddress> address(g_socket_connection_get_remote_address(client->connection, nullptr));
    return address && same_place(address.get(), remote);
  });
  if (found == clients_.end()) return nullptr;
  GSocketConnection* connection = (*found)->connection;
  ObjectPtr<GSocket> socket(G_SOCKET(g_object_ref(g_socket_connection_get_socket(connection))));
  g_object_weak_unref(G_OBJECT(connection), Client::on_gone, found->get());
  forget(found->get());
  return socket;
}

void HttpConnections::forget(Client* client) {
  drop(client->timer);
  std::erase_if(clients_, [client](const auto& entry) { return entry.get() == client; });
}

}  // namespace bcp::cli
