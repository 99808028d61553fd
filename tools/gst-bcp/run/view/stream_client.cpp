// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/stream_client.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace bcp::cli::view {
namespace {

// The kernel would otherwise buffer megabytes of old pictures for a slow browser.
constexpr int kSocketBuffer = 128 * 1024;

void end_source(GSource*& source) {
  if (!source) return;
  g_source_destroy(source);
  g_source_unref(std::exchange(source, nullptr));
}

}  // namespace

StreamClient::StreamClient(ObjectPtr<GIOStream> connection, ObjectPtr<GSocket> socket, std::string head, Source source)
    : connection_(std::move(connection)),
      socket_(std::move(socket)),
      source_(std::move(source)),
      pending_(std::move(head)) {
  g_socket_set_option(socket_.get(), SOL_SOCKET, SO_SNDBUF, kSocketBuffer, nullptr);
  closed_ = g_socket_create_source(socket_.get(), G_IO_IN, nullptr);  // and G_IO_HUP, G_IO_ERR
  const GSocketSourceFunc on_ready = [](GSocket*, GIOCondition, gpointer self) -> gboolean {
    return static_cast<StreamClient*>(self)->on_readable();
  };
  g_source_set_callback(closed_, G_SOURCE_FUNC(on_ready), this, nullptr);
  g_source_attach(closed_, g_main_context_get_thread_default());
}

StreamClient::~StreamClient() {
  end_source(room_);
  end_source(closed_);
  // At once, with what the browser has not taken.
  g_socket_shutdown(socket_.get(), TRUE, TRUE, nullptr);
  g_socket_close(socket_.get(), nullptr);
}

void StreamClient::wake() {
  while (true) {
    if (pending_.empty()) pending_ = source_.next();
    if (pending_.empty()) return;
    if (sent_ == 0) progress_ = Clock::now();
    if (!flush()) return source_.gone();
    if (!pending_.empty()) return watch_for_room();
  }
}

// False: the client has gone.
bool StreamClient::flush() {
  while (sent_ < pending_.size()) {
    const ssize_t sent = ::send(g_socket_get_fd(socket_.get()), pending_.data() + sent_, pending_.size() - sent_,
                                MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    sent_ += static_cast<std::size_t>(sent);
    progress_ = Clock::now();
  }
  pending_.clear();
  sent_ = 0;
  return true;
}

void StreamClient::watch_for_room() {
  if (room_) return;
  room_ = g_socket_create_source(socket_.get(), G_IO_OUT, nullptr);
  const GSocketSourceFunc on_ready = [](GSocket*, GIOCondition, gpointer self) -> gboolean {
    auto& client = *static_cast<StreamClient*>(self);
    end_source(client.room_);
    client.wake();
    return G_SOURCE_REMOVE;
  };
  g_source_set_callback(room_, G_SOURCE_FUNC(on_ready), this, nullptr);
  g_source_attach(room_, g_main_context_get_thread_default());
}

// A browser sends nothing more: what can be read is the end of the connection, or is dropped.
bool StreamClient::on_readable() {
  std::array<char, 1024> dropped{};
  const ssize_t size = ::recv(g_socket_get_fd(socket_.get()), dropped.data(), dropped.size(), MSG_DONTWAIT);
  const bool is_open = size > 0 || (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
  if (!is_open) source_.gone();
  return is_open;
}

}  // namespace bcp::cli::view
