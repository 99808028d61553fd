// SPDX-License-Identifier: LGPL-2.1-or-later
// The browsers that follow the events. Belongs to the server's thread.

#pragma once

#include <list>
#include <memory>
#include <string>

#include "gst-bcp/run/view/event_queue.hpp"
#include "gst-bcp/run/view/stream_client.hpp"

namespace bcp::cli::view {

class EventStreams {
 public:
  static constexpr std::size_t kMost = 24;  // browsers
  static constexpr std::chrono::seconds kHeartbeat{10};

  bool has_room() const { return clients_.size() < kMost; }
  std::size_t size() const { return clients_.size(); }
  void open(ObjectPtr<GIOStream> connection, ObjectPtr<GSocket> socket, const std::string& head);
  void publish(const ViewEvent& event);
  // Every second: drops the clients that have gone or are stalled, and lets the others know that the server lives.
  void tick(StreamClient::Clock::time_point now);

 private:
  struct Client {
    EventQueue queue;
    std::unique_ptr<StreamClient> stream;
    StreamClient::Clock::time_point heard;  // when something was sent
    bool gone = false;
  };
  std::list<Client> clients_;
};

}  // namespace bcp::cli::view
