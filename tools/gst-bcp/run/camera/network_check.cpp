// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/camera/network_check.hpp"

#include <utility>

#include "support/owners.hpp"

namespace bcp::cli::run {
namespace {

constexpr guint kPatienceSeconds = 3;  // of each address that the host has

Reach reach_of(const GError* error) {
  if (!error) return Reach::kReached;
  if (error->domain == G_RESOLVER_ERROR) return Reach::kUnknownHost;
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED)) return Reach::kRefused;
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT)) return Reach::kTimeout;
  return Reach::kUnreachable;
}

}  // namespace

struct NetworkCheck::Shared {
  explicit Shared(Done given) : done(std::move(given)) {}
  ~Shared() { g_object_unref(cancellable); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  Done done;  // empty: the check was dropped
  GCancellable* const cancellable = g_cancellable_new();

  static void on_connected(GObject* client, GAsyncResult* result, gpointer data) {
    const std::unique_ptr<std::shared_ptr<Shared>> owner(static_cast<std::shared_ptr<Shared>*>(data));
    GError* fault = nullptr;
    GSocketConnection* connection = g_socket_client_connect_to_host_finish(G_SOCKET_CLIENT(client), result, &fault);
    const gst::ErrorPtr error(fault);
    g_clear_object(&connection);
    if (const Done done = std::exchange((*owner)->done, nullptr)) done(reach_of(error.get()));
  }
};

NetworkCheck::NetworkCheck(const Endpoint& server, Done done) : shared_(std::make_shared<Shared>(std::move(done))) {
  GSocketClient* client = g_socket_client_new();
  g_socket_client_set_timeout(client, kPatienceSeconds);
  g_socket_client_connect_to_host_async(client, server.host.c_str(), static_cast<guint16>(server.port),
                                        shared_->cancellable, Shared::on_connected,
                                        new std::shared_ptr<Shared>(shared_));
  g_object_unref(client);
}

NetworkCheck::~NetworkCheck() {
  shared_->done = nullptr;
  g_cancellable_cancel(shared_->cancellable);
}

}  // namespace bcp::cli::run
