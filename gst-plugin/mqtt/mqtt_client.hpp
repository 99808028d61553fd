// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps a connection to an MQTT broker and sends messages; callers never wait for the broker.
//
// Its own thread resolves the name, connects and sends. After a lost connection it reconnects without limit, with
// pauses from 1 to 30 seconds; messages wait in an Outbox. An exception on that thread, also in a listener, is handled
// like a lost connection: reported, then a new connection is made.
//
// Thread safety: any thread may call publish(), set_state(), switch_off(), delete_others() and counts(). No other call
// may run during or after finish() and the destructor, except counts().

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/result.hpp"
#include "mqtt/mqtt_session.hpp"
#include "mqtt/outbox.hpp"

namespace bcp::mqtt {

struct MqttCounts {
  bool connected = false;
  std::uint64_t published = 0;   // messages that the broker has acknowledged
  std::uint64_t queued = 0;      // messages that are waiting or not acknowledged
  std::uint64_t dropped = 0;     // messages lost because the queue was full, or not sent before the end
  std::uint64_t reconnects = 0;  // connections after the first
};

// Callbacks of a client, called from its thread with no lock held. A slow name lookup can outlive the client, so they
// must own what they use.
struct MqttListener {
  std::function<void(bool again)> connected;
  // The connection failed or was lost. `again`: the same error as before, without a lasting connection since.
  std::function<void(const Error&, bool again)> trouble;
  // A message for this client (`command_filters`).
  std::function<void(const MqttMessage&)> command = {};
};

class MqttClient {
 public:
  // All functions may be called before start(): messages wait in the outbox.
  MqttClient(MqttOptions options, std::size_t room, DropPolicy policy, MqttListener listener);
  MqttClient(const MqttClient&) = delete;
  MqttClient& operator=(const MqttClient&) = delete;
  ~MqttClient();

  // Starts the thread. If the system refuses a thread, returns an error and may be called again. Does nothing if the
  // thread runs.
  Status start();

  // False if the queue was full and a message was dropped.
  bool publish(MqttMessage message);
  // Sets the retained message of `topic`; an empty payload deletes it.
  void set_state(const std::string& topic, std::string payload);

  // Sets every retained ON under this topic filter to OFF, unless set_state() has set it: it is left from an earlier
  // run that ended without cleaning up.
  void switch_off(std::string filter);
  // Deletes every retained message under this topic filter that set_state() has not set: it is left from an earlier
  // run, which had other labels.
  void delete_others(std::string filter);

  // Sends the queued messages, with one more attempt to connect, then disconnects; waits at most `patience`. Returns at
  // once if nothing is queued or the broker cannot be reached. counts() stays valid. Without start(), queued messages
  // are dropped.
  void finish(std::chrono::milliseconds patience);

  MqttCounts counts() const;

 private:
  class Worker;

  std::shared_ptr<Worker> worker_;  // also owned by the thread
  std::thread thread_;
  bool finished_ = false;
};

}  // namespace bcp::mqtt
