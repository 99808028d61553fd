// SPDX-License-Identifier: LGPL-2.1-or-later
// A response without an end, to one browser: events or pictures.
//
// Nothing ever waits for the browser. Bytes are taken from the source only when the socket has room, so at most one
// piece is in memory beside the socket's buffer. A browser that takes nothing for 15 s while a piece waits is
// disconnected. Belongs to one thread and works from its default GMainContext.

#pragma once

#include <gio/gio.h>

#include <chrono>
#include <functional>
#include <string>

#include "gst-bcp/common/http_connections.hpp"

namespace bcp::cli::view {

class StreamClient {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kPatience{15};

  struct Source {
    std::function<std::string()> next;  // the next bytes; empty: none at the moment
    std::function<void()> gone;         // the client has gone. Not from here: delete this object soon
  };

  // Takes over a connection whose request was read. `head`: the response's header. wake() follows.
  StreamClient(ObjectPtr<GIOStream> connection, ObjectPtr<GSocket> socket, std::string head, Source source);
  ~StreamClient();
  StreamClient(const StreamClient&) = delete;
  StreamClient& operator=(const StreamClient&) = delete;

  // Sends what there is. Call it again when the source has something new; cheap if the socket is full. May call gone().
  void wake();
  // Whether a piece waits and nothing was taken for kPatience.
  bool is_stalled(Clock::time_point now) const { return !pending_.empty() && now - progress_ > kPatience; }
  // Whether all was handed to the socket.
  bool is_idle() const { return pending_.empty(); }

 private:
  bool flush();
  void watch_for_room();
  bool on_readable();  // false: the client has gone

  const ObjectPtr<GIOStream> connection_;
  const ObjectPtr<GSocket> socket_;
  const Source source_;
  std::string pending_;
  std::size_t sent_ = 0;  // of pending_
  Clock::time_point progress_ = Clock::now();
  GSource* room_ = nullptr;    // waits until the socket has room
  GSource* closed_ = nullptr;  // waits until the client closes the connection
};

}  // namespace bcp::cli::view
