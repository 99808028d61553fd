// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps a connection to an MQTT broker and sends what it is given; nobody ever waits for the broker.
//
// A thread of its own resolves, connects, sends, and comes back after the connection was lost, for ever, after a second
// at first and after half a minute in the end. What is given meanwhile waits in an Outbox. An exception on that thread,
// in a listener too, is trouble as any other: it is reported, and the connection is made anew.
//
// Thread safety: any thread may call publish(), set_state(), switch_off() and counts(); finish() and the destructor end
// it, after the others.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/result.hpp"
#include "publish/mqtt_session.hpp"
#include "publish/outbox.hpp"

namespace bcp::publish {

struct MqttCounts {
  bool connected = false;
  std::uint64_t published = 0;   // messages that the broker has
  std::uint64_t queued = 0;      // messages that wait, or are on their way
  std::uint64_t dropped = 0;     // messages that there was no room for, or no time at the end
  std::uint64_t reconnects = 0;  // connections after the first
};

// What a client tells of itself, from its own thread, with no lock held. It outlives the client when a name takes its
// time to be resolved, so it holds on to what it needs.
struct MqttListener {
  std::function<void(bool again)> connected;
  // There is no connection. `again`: the same trouble as before, and no connection has lasted since.
  std::function<void(const Error&, bool again)> trouble;
};

class MqttClient {
 public:
  // Everything may be called before start(): it waits in the outbox.
  MqttClient(MqttOptions options, std::size_t room, DropPolicy policy, MqttListener listener);
  MqttClient(const MqttClient&) = delete;
  MqttClient& operator=(const MqttClient&) = delete;
  ~MqttClient();

  // Starts the thread. Fails where the system gives none, and may be tried again. Does nothing once it runs.
  Status start();

  // False when there was no room, and a message was lost for it.
  bool publish(MqttMessage message);
  // What the broker is to remember under `topic`; nothing: it is to forget.
  void set_state(const std::string& topic, std::string payload);

  // Whatever the broker remembers as on under topics of this filter, and nobody here has set, is off: it is left from a
  // run that came to no good end.
  void switch_off(std::string filter);

  // Gives the broker this long to take what is left, with one more try to reach it, then says good-bye. Returns at once
  // when there is nothing left, or no broker. The last counts stay. Without start(), all that waits is dropped.
  void finish(std::chrono::milliseconds patience);

  MqttCounts counts() const;

 private:
  class Worker;

  std::shared_ptr<Worker> worker_;  // the thread holds on to it too
  std::thread thread_;
  bool finished_ = false;
};

}  // namespace bcp::publish
