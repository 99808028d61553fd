// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/http_server.hpp"

#include <gio/gio.h>

#include <array>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "gst-bcp/common/http_request.hpp"

namespace bcp::cli {
namespace {

constexpr std::size_t kLongestHead = 8192;
constexpr std::size_t kMostClients = 32;
constexpr guint kSecondsAClient = 10;  // from its connection to its last byte
constexpr guint kSecondsToRest = 1;    // when no connection can be had, for want of descriptors

struct ObjectUnref {
  void operator()(gpointer object) const { g_object_unref(object); }
};
template <typename T>
using ObjectPtr = std::unique_ptr<T, ObjectUnref>;

const char* reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Internal Server Error";
  }
}

std::string response(const HttpPage& page, bool with_body) {
  std::string text = "HTTP/1.1 " + std::to_string(page.status) + " " + reason_of(page.status) + "\r\n";
  text += "Content-Type: " + page.content_type + "\r\n";
  text += "Content-Length: " + std::to_string(page.body.size()) + "\r\n";
  if (page.status == 405) text += "Allow: GET, HEAD\r\n";
  text += "Cache-Control: no-store\r\nConnection: close\r\n\r\n";
  if (with_body) text += page.body;
  return text;
}

std::string answer_to(const std::string& head, bool whole, const HttpServer::Pages& pages) {
  if (!whole) return response({.status = 431, .body = "this request is too long\n"}, true);
  const std::optional<HttpRequest> request = parse_http_request(head);
  if (!request) return response({.status = 400, .body = "this is no HTTP request\n"}, true);
  if (request->method != "GET" && request->method != "HEAD")
    return response({.status = 405, .body = "pages here can be fetched, and nothing else\n"}, true);
  return response(pages(request->path), request->method == "GET");
}

void in_context(GMainContext* context, GSource* source, GSourceFunc call, gpointer data) {
  g_source_set_callback(source, call, data, nullptr);
  g_source_attach(source, context);
  g_source_unref(source);
}

}  // namespace

// Everything but the making belongs to the server's thread.
class HttpServer::Impl {
 public:
  Impl(ObjectPtr<GSocketListener> listener, std::string url, Pages pages)
      : listener_(std::move(listener)), url_(std::move(url)), pages_(std::move(pages)), thread_([this] { serve(); }) {}

  ~Impl() {
    in_context(
        context_, g_idle_source_new(), [](gpointer self) -> gboolean { return static_cast<Impl*>(self)->end(), FALSE; },
        this);
    thread_.join();
    g_main_context_unref(context_);
  }

  const std::string& url() const { return url_; }

 private:
  // One at a time is under way on a connection: reading the request, writing the answer, waiting for the client to go.
  struct Client {
    Impl* server;
    ObjectPtr<GSocketConnection> connection;
    ObjectPtr<GCancellable> cancel;
    GSource* timer;
    std::array<char, 2048> piece;
    std::string head, answer;

    GInputStream* in() const { return g_io_stream_get_input_stream(G_IO_STREAM(connection.get())); }
    GOutputStream* out() const { return g_io_stream_get_output_stream(G_IO_STREAM(connection.get())); }
  };

  void serve() {
    g_main_context_push_thread_default(context_);
    accept();
    while (!ended_ || accepting_ || !clients_.empty()) g_main_context_iteration(context_, TRUE);
    g_main_context_pop_thread_default(context_);
  }

  void end() {
    ended_ = true;
    g_cancellable_cancel(stop_.get());
    for (Client* client : clients_) g_cancellable_cancel(client->cancel.get());
  }

  void accept() {
    accepting_ = true;
    g_socket_listener_accept_async(
        listener_.get(), stop_.get(),
        [](GObject*, GAsyncResult* result, gpointer self) { static_cast<Impl*>(self)->accepted(result); }, this);
  }

  void accepted(GAsyncResult* result) {
    accepting_ = false;
    ObjectPtr<GSocketConnection> connection(g_socket_listener_accept_finish(listener_.get(), result, nullptr, nullptr));
    if (ended_) return;
    if (!connection) {
      // Asking again at once would spin: there is a client that cannot be taken.
      in_context(
          context_, g_timeout_source_new_seconds(kSecondsToRest),
          [](gpointer self) -> gboolean {
            auto& server = *static_cast<Impl*>(self);
            if (!server.ended_) server.accept();
            return FALSE;
          },
          this);
      return;
    }
    if (clients_.size() >= kMostClients) drop_oldest();  // the newest is the one that still waits for an answer
    begin(std::move(connection));
    accept();
  }

  void begin(ObjectPtr<GSocketConnection> connection) {
    auto* client =
        new Client{this, std::move(connection), ObjectPtr<GCancellable>(g_cancellable_new()), nullptr, {}, {}, {}};
    clients_.push_back(client);
    client->timer = g_timeout_source_new_seconds(kSecondsAClient);
    g_source_set_callback(
        client->timer,
        [](gpointer cancel) -> gboolean { return g_cancellable_cancel(static_cast<GCancellable*>(cancel)), FALSE; },
        client->cancel.get(), nullptr);
    g_source_attach(client->timer, context_);
    read(*client);
  }

  void drop_oldest() {
    for (Client* client : clients_) {
      if (g_cancellable_is_cancelled(client->cancel.get())) continue;
      g_cancellable_cancel(client->cancel.get());
      return;
    }
  }

  static void drop(Client* client) {
    std::erase(client->server->clients_, client);
    g_source_destroy(client->timer);
    g_source_unref(client->timer);
    delete client;
  }

  static void read(Client& client) {
    g_input_stream_read_async(
        client.in(), client.piece.data(), client.piece.size(), G_PRIORITY_DEFAULT, client.cancel.get(),
        [](GObject* stream, GAsyncResult* result, gpointer data) {
          auto* reader = static_cast<Client*>(data);
          const gssize size = g_input_stream_read_finish(G_INPUT_STREAM(stream), result, nullptr);
          if (size <= 0) return drop(reader);
          if (!reader->answer.empty()) return read(*reader);  // it says more than it was asked for, or is about to go
          reader->head.append(reader->piece.data(), static_cast<std::size_t>(size));
          const bool whole = is_whole_head(reader->head);
          if (!whole && reader->head.size() < kLongestHead) return read(*reader);
          reader->answer = answer_to(reader->head, whole, reader->server->pages_);
          write(*reader);
        },
        &client);
  }

  static void write(Client& client) {
    g_output_stream_write_all_async(
        client.out(), client.answer.data(), client.answer.size(), G_PRIORITY_DEFAULT, client.cancel.get(),
        [](GObject* stream, GAsyncResult* result, gpointer data) {
          auto* writer = static_cast<Client*>(data);
          if (!g_output_stream_write_all_finish(G_OUTPUT_STREAM(stream), result, nullptr, nullptr)) return drop(writer);
          // Closing with something unread would reset the connection, and the answer might be lost on its way.
          g_socket_shutdown(g_socket_connection_get_socket(writer->connection.get()), FALSE, TRUE, nullptr);
          read(*writer);
        },
        &client);
  }

  const ObjectPtr<GSocketListener> listener_;
  const std::string url_;
  const Pages pages_;
  GMainContext* const context_ = g_main_context_new();
  const ObjectPtr<GCancellable> stop_{g_cancellable_new()};
  std::vector<Client*> clients_;  // the oldest first
  bool accepting_ = false, ended_ = false;
  std::thread thread_;  // last: it uses the above
};

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const HttpAddress& address, Pages pages) {
  const ObjectPtr<GSocketAddress> wanted(g_inet_socket_address_new_from_string(address.host.c_str(), address.port));
  const bool is_v6 = address.host.find(':') != std::string::npos;
  const std::string base = "http://" + (is_v6 ? "[" + address.host + "]" : address.host) + ":";
  ObjectPtr<GSocketListener> listener(g_socket_listener_new());
  GSocketAddress* taken = nullptr;
  GError* fault = nullptr;
  if (!g_socket_listener_add_address(listener.get(), wanted.get(), G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, nullptr,
                                     &taken, &fault)) {
    const std::unique_ptr<GError, decltype(&g_error_free)> error(fault, g_error_free);
    const bool in_use = g_error_matches(fault, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE);
    const std::string where = base + std::to_string(address.port);
    if (in_use)
      return Error{ErrorCode::kInvalid,
                   "cannot serve " + where + ": another program has this port; name another, or 0 for a free one"};
    return Error{ErrorCode::kRuntime, "cannot serve " + where + ": " + fault->message};
  }
  const ObjectPtr<GSocketAddress> owned(taken);
  const std::string url = base + std::to_string(g_inet_socket_address_get_port(G_INET_SOCKET_ADDRESS(taken)));
  return std::unique_ptr<HttpServer>(
      new HttpServer(std::make_unique<Impl>(std::move(listener), url, std::move(pages))));
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() = default;

const std::string& HttpServer::url() const {
  return impl_->url();
}

}  // namespace bcp::cli
