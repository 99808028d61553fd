// SPDX-License-Identifier: LGPL-2.1-or-later
// The connections of an HTTP server: accepted, and limited in number and time, which libsoup does not do.
//
// A connection has a time from its first to its last byte. Beyond the limit of connections the oldest is closed: the
// newest is the one whose client still waits for an answer.

#pragma once

#include <gio/gio.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace bcp::cli {

struct ObjectUnref {
  void operator()(gpointer object) const { g_object_unref(object); }
};
template <typename T>
using ObjectPtr = std::unique_ptr<T, ObjectUnref>;

// Belongs to the thread that made it, and works from that thread's default GMainContext.
class HttpConnections {
 public:
  // Serves a connection, and drops its last reference when done.
  using Serve = std::function<void(GSocketConnection* connection)>;

  struct Limits {
    std::size_t clients = 32;
    unsigned seconds = 10;  // for a client
  };

  // `listening` is bound, listening and not blocking; it outlives this.
  HttpConnections(GSocket* listening, Serve serve) : HttpConnections(listening, std::move(serve), Limits()) {}
  HttpConnections(GSocket* listening, Serve serve, Limits limits);
  // Stops accepting. Connections that are still served have no limits from then on.
  ~HttpConnections();
  HttpConnections(const HttpConnections&) = delete;
  HttpConnections& operator=(const HttpConnections&) = delete;

  // The socket of the client with this address, which has no limit from now on: the caller has taken it over. Null:
  // there is no such client.
  ObjectPtr<GSocket> release(GSocketAddress* remote);

 private:
  struct Client;

  void watch();
  void rest();
  bool accept();
  void add(GSocketConnection* connection);
  void close_oldest();
  void forget(Client* client);

  GSocket* const listening_;
  const Serve serve_;
  const Limits limits_;
  GSource* source_ = nullptr;                     // for the next client, or for the end of a rest
  std::vector<std::unique_ptr<Client>> clients_;  // the oldest first
};

}  // namespace bcp::cli
