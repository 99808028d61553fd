// SPDX-License-Identifier: LGPL-2.1-or-later
// Reports to a service manager, by the protocol of systemd's sd_notify(3): datagrams to the socket in NOTIFY_SOCKET.
//
// Without that variable nothing is sent. Never waits: a datagram that does not fit is dropped. Main thread.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace bcp::cli::run {

class Service {
 public:
  // Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  Service();
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  bool exists() const { return fd_ >= 0; }
  // How often alive() should be called; unset: the manager does not watch.
  std::optional<std::chrono::milliseconds> interval() const { return interval_; }

  void ready();
  void reloading();
  void stopping();
  // One line for people, "3 cameras, 1 lost"; sent when it changes.
  void status(const std::string& text);
  void alive();

 private:
  void send(const std::string& text) const;

  int fd_ = -1;
  std::string address_;  // sockaddr_un
  std::optional<std::chrono::milliseconds> interval_;
  std::string status_;
};

// Whether frames pass: an input that is connected and has had no new frame for a minute is stuck in its pipeline. A
// lost camera is not: it is being reconnected.
class Pulse {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kLongest{60};

  // `frames`: of the input so far. `connected`: frames should come.
  void note(const std::string& source, bool connected, std::uint64_t frames, Clock::time_point now);
  void forget(const std::string& source) { inputs_.erase(source); }
  // An input that is stuck; empty: none.
  std::string stuck(Clock::time_point now) const;

 private:
  struct State {
    std::uint64_t frames = 0;
    Clock::time_point moved;
  };
  std::map<std::string, State> inputs_;
};

}  // namespace bcp::cli::run
