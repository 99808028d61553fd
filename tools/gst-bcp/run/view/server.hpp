// SPDX-License-Identifier: LGPL-2.1-or-later
// The HTTP server of the live page (libsoup 3): the page, its data, events and pictures.
//
// It has its own thread and GMainContext; nothing in it waits for the run, for a frame or for a browser, and none of
// them waits for it. Every request is judged first (access.hpp). Clients, their time, and the sizes of requests are
// limited (common/http_connections.hpp, event_streams.hpp, picture_streams.hpp).

#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "gst-bcp/common/http_socket.hpp"
#include "gst-bcp/run/view/access.hpp"
#include "gst-bcp/run/view/api.hpp"
#include "gst-bcp/run/view/event_queue.hpp"

namespace bcp::cli::view {

class ViewServer {
 public:
  static constexpr std::size_t kMostBody = 256 * 1024;  // bytes of a request

  ViewServer(HttpSocket socket, Access::Rules rules, Api api);
  // Closes all connections, and returns when nothing of `api` is running.
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  // Any thread:
  // "http://127.0.0.1:8080", with the port that was taken.
  const std::string& url() const;
  // Sends the event to all pages that are open.
  void publish(ViewEvent event);
  // How many pages are open; without one, no event needs to be made.
  std::size_t pages() const;
  // The camera has pictures from now on, or none any more.
  void restart_pictures(CameraId camera);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace bcp::cli::view
