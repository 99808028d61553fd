// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/http_server.hpp"

#include <libsoup/soup.h>

#include <string_view>
#include <thread>
#include <utility>

#include "gst-bcp/common/http_connections.hpp"
#include "gst-bcp/common/http_socket.hpp"

namespace bcp::cli {
namespace {

void respond(SoupServerMessage* message, guint status, const HttpPage& page) {
  SoupMessageHeaders* headers = soup_server_message_get_response_headers(message);
  soup_message_headers_replace(headers, "Cache-Control", "no-store");
  soup_message_headers_replace(headers, "Connection", "close");
  soup_server_message_set_status(message, status, nullptr);
  // For HEAD libsoup sends the length of the body, and not the body.
  soup_server_message_set_response(message, page.content_type.c_str(), SOUP_MEMORY_COPY, page.body.data(),
                                   page.body.size());
}

}  // namespace

// Every libsoup object is made, used and dropped on the server's thread.
class HttpServer::Impl {
 public:
  Impl(ObjectPtr<GSocket> socket, std::string url, HttpPages pages)
      : socket_(std::move(socket)), url_(std::move(url)), pages_(std::move(pages)), thread_([this] { serve(); }) {}

  ~Impl() {
    // From inside the loop: it may not have begun to run.
    GSource* quit = g_idle_source_new();
    g_source_set_callback(
        quit,
        [](gpointer loop) -> gboolean { return g_main_loop_quit(static_cast<GMainLoop*>(loop)), G_SOURCE_REMOVE; },
        loop_, nullptr);
    g_source_attach(quit, context_);
    g_source_unref(quit);
    thread_.join();
    g_main_loop_unref(loop_);
    g_main_context_unref(context_);
  }

  const std::string& url() const { return url_; }

 private:
  void serve() {
    g_main_context_push_thread_default(context_);
    {
      const ObjectPtr<SoupServer> server(soup_server_new(nullptr, nullptr));
      soup_server_add_early_handler(server.get(), nullptr, on_head, nullptr, nullptr);
      soup_server_add_handler(server.get(), nullptr, on_request, this, nullptr);
      const HttpConnections connections(socket_.get(), [&server](GSocketConnection* connection) {
        const ObjectPtr<GSocketAddress> local(g_socket_connection_get_local_address(connection, nullptr));
        const ObjectPtr<GSocketAddress> remote(g_socket_connection_get_remote_address(connection, nullptr));
        // Null if the client has already disconnected.
        if (local && remote)
          soup_server_accept_iostream(server.get(), G_IO_STREAM(connection), local.get(), remote.get(), nullptr);
      });
      g_main_loop_run(loop_);
      soup_server_disconnect(server.get());
    }
    while (g_main_context_iteration(context_, FALSE)) {
    }
    g_main_context_pop_thread_default(context_);
  }

  // Before the body of a request is read: no page needs one, so none is kept.
  static void on_head(SoupServer*, SoupServerMessage* message, const char*, GHashTable*, gpointer) {
    soup_message_body_set_accumulate(soup_server_message_get_request_body(message), FALSE);
  }

  static void on_request(SoupServer*, SoupServerMessage* message, const char* path, GHashTable*, gpointer self) {
    const HttpPages& pages = static_cast<Impl*>(self)->pages_;
    const auto page = pages.find(std::string_view(path));
    if (page == pages.end())
      return respond(message, SOUP_STATUS_NOT_FOUND, {.body = "there is no such page; / lists all pages\n"});
    const std::string_view method = soup_server_message_get_method(message);
    if (method != "GET" && method != "HEAD") {
      soup_message_headers_replace(soup_server_message_get_response_headers(message), "Allow", "GET, HEAD");
      return respond(message, SOUP_STATUS_METHOD_NOT_ALLOWED, {.body = "this page supports GET and HEAD only\n"});
    }
    respond(message, SOUP_STATUS_OK, page->second());
  }

  const ObjectPtr<GSocket> socket_;
  const std::string url_;
  const HttpPages pages_;
  GMainContext* const context_ = g_main_context_new();
  GMainLoop* const loop_ = g_main_loop_new(context_, FALSE);
  std::thread thread_;  // last: it uses the above
};

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const HttpAddress& address, HttpPages pages) {
  Result<HttpSocket> opened = open_http_socket(address);
  if (!opened) return opened.error();
  return std::unique_ptr<HttpServer>(
      new HttpServer(std::make_unique<Impl>(std::move(opened->socket), opened->url, std::move(pages))));
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() = default;

const std::string& HttpServer::url() const {
  return impl_->url();
}

}  // namespace bcp::cli
