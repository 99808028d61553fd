// SPDX-License-Identifier: LGPL-2.1-or-later
// One connection to an MQTT broker, from the first packet to the last; the only door to libmosquitto.
//
// Thread safety: none. Whoever uses it has SIGPIPE blocked: OpenSSL writes to sockets without asking for silence.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "publish/mqtt_address.hpp"
#include "publish/outbox.hpp"

namespace bcp::publish {

struct MqttOptions {
  MqttAddress address;                     // its credentials are those to use
  std::string client_id;                   // empty: made up at each connection
  std::string ca_file;                     // empty: the system's authorities
  std::string certificate_file, key_file;  // what we show to the broker, if anything
  bool insecure = false;                   // do not ask whether the certificate is for this host
  int quality = 1;                         // of service
  int keepalive = 60;                      // seconds
  std::string status_topic;                // says "online", and "offline" once we are gone, however that comes about
  std::string birth_topic;                 // says "online" when someone who forgot everything is back
};

inline constexpr char kOnline[] = "online";
inline constexpr char kOffline[] = "offline";
inline constexpr char kOn[] = "ON", kOff[] = "OFF";  // a label's state

class MqttSession {
 public:
  // Whether this build can do it at all, and if not, what to install.
  static Status available();

  // Begins to connect. Waits for the name to be resolved, and for nothing else.
  static Result<std::unique_ptr<MqttSession>> open(const MqttOptions& options);

  MqttSession(const MqttSession&) = delete;
  MqttSession& operator=(const MqttSession&) = delete;
  ~MqttSession();  // closes at once; the broker tells "offline" unless disconnect() was called

  // Does what is to be done, then waits for more, or until `wake` can be read, at most `timeout`. The error that ended
  // the connection, or kept it from coming about: one sentence without its end, for a person.
  Status wait(int wake, std::chrono::milliseconds timeout);

  // The broker has let us in.
  bool connected() const;
  // Hands a message over; its id.
  Result<int> publish(const MqttMessage& message);
  // The ids of messages that the broker has, since the last call.
  std::vector<int> acknowledged();
  // Asks for what the broker remembers under topics of this filter.
  void recall(const std::string& filter);
  // What it said to that since the last call.
  std::vector<MqttMessage> recalled();
  // Whether `birth_topic` spoke since the last call.
  bool reborn();
  // Says good-bye, and that we are offline.
  void disconnect();

 private:
  struct Impl;
  explicit MqttSession(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace bcp::publish
