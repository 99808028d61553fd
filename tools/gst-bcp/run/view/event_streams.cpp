// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/event_streams.hpp"

#include <utility>

namespace bcp::cli::view {

void EventStreams::open(ObjectPtr<GIOStream> connection, ObjectPtr<GSocket> socket, const std::string& head) {
  Client& client = clients_.emplace_back();
  client.heard = StreamClient::Clock::now();
  // The page asks again after two seconds when the connection is lost.
  client.stream = std::make_unique<StreamClient>(std::move(connection), std::move(socket), head + "retry: 2000\n\n",
                                                 StreamClient::Source{[&client] {
                                                                        if (!client.queue.empty())
                                                                          client.heard = StreamClient::Clock::now();
                                                                        return client.queue.take();
                                                                      },
                                                                      [&client] { client.gone = true; }});
  client.stream->wake();
}

void EventStreams::publish(const ViewEvent& event) {
  for (Client& client : clients_) {
    if (client.gone) continue;
    client.queue.put(event);
    client.stream->wake();
  }
}

void EventStreams::tick(StreamClient::Clock::time_point now) {
  std::erase_if(clients_, [now](const Client& client) { return client.gone || client.stream->is_stalled(now); });
  for (Client& client : clients_) {
    if (now - client.heard < kHeartbeat || !client.stream->is_idle()) continue;
    client.queue.put({"alive", "alive", "{}"});
    client.stream->wake();
  }
}

}  // namespace bcp::cli::view
