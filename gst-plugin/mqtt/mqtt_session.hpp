// SPDX-License-Identifier: LGPL-2.1-or-later
// One connection to an MQTT broker. Only this class uses libmosquitto.
//
// Thread safety: none. REQUIRES: SIGPIPE is blocked in the calling thread: OpenSSL writes to sockets without
// MSG_NOSIGNAL.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "mqtt/mqtt_address.hpp"
#include "mqtt/outbox.hpp"

namespace bcp::mqtt {

// The names of the settings in error messages: properties of bcppublish, or options of a program.
struct MqttWords {
  std::string address = "mqtt-address";
  std::string username = "mqtt-username";
  std::string password_file = "mqtt-password-file";
  std::string client_id = "mqtt-client-id";
  std::string ca_file = "mqtt-ca-file";
  std::string tls_files = "mqtt-ca-file, mqtt-cert-file and mqtt-key-file";
};

struct MqttOptions {
  MqttAddress address;                            // with the credentials to use
  std::string client_id;                          // empty: random for each connection
  std::string ca_file;                            // empty: the system's authorities
  std::string certificate_file, key_file;         // of the client; empty: no client certificate
  bool insecure = false;                          // do not check that the certificate is for this host
  int quality = 1;                                // QoS
  int keepalive = 60;                             // seconds
  std::string status_topic;                       // "online" while connected, else "offline" (also as the last will)
  std::string birth_topic;                        // "online" when Home Assistant has restarted and lost all states
  std::vector<std::string> command_filters = {};  // topic filters of messages for this client
  MqttWords words = {};
};

// Longer commands are ignored.
inline constexpr std::size_t kMostCommandBytes = std::size_t{64} << 10;

inline constexpr char kOnline[] = "online";
inline constexpr char kOffline[] = "offline";
inline constexpr char kOn[] = "ON", kOff[] = "OFF";  // a label's state

class MqttSession {
 public:
  // An error if this build has no MQTT support; it says what to install.
  static Status available();

  // Begins to connect. Waits for the name lookup only.
  static Result<std::unique_ptr<MqttSession>> open(const MqttOptions& options);

  MqttSession(const MqttSession&) = delete;
  MqttSession& operator=(const MqttSession&) = delete;
  ~MqttSession();  // closes at once; the broker publishes "offline" unless disconnect() was called

  // Reads and writes what is pending, then waits for more, until `wake` is readable or `timeout` has passed. Returns
  // the error that ended or prevented the connection, as a sentence without a full stop.
  Status wait(int wake, std::chrono::milliseconds timeout);

  // True after the broker has accepted the connection.
  bool connected() const;
  // Sends a message and returns its id.
  Result<int> publish(const MqttMessage& message);
  // The ids of messages acknowledged since the last call.
  std::vector<int> acknowledged();
  // Requests the retained messages of this topic filter.
  void recall(const std::string& filter);
  // The retained messages received since the last call.
  std::vector<MqttMessage> recalled();
  // The messages for this client (`command_filters`) received since the last call. Retained messages are ignored: they
  // would be obeyed again at every connection.
  std::vector<MqttMessage> commands();
  // Whether "online" was received on `birth_topic` since the last call.
  bool reborn();
  // Disconnects cleanly: the broker does not publish the last will.
  void disconnect();

 private:
  struct Impl;
  explicit MqttSession(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace bcp::mqtt
