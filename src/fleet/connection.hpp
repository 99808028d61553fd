// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A connection to one Redis server. connection.cpp is the only file that uses hiredis; without hiredis, open() fails
// with an error that says so.
//
// Every wait has a limit and ends when `stop` is raised: a server that is paused or out of reach costs a few seconds of
// the calling thread. So frames must never be handled on that thread.
//
// Thread safety: one thread at a time. No signal is caused when the server closes the connection.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.hpp"
#include "fleet/address.hpp"
#include "fleet/reply.hpp"
#include "fleet/stop.hpp"

namespace bcp::fleet {

struct Traffic {
  std::uint64_t sent = 0, received = 0;  // bytes of commands and answers, without TCP and TLS
  std::uint64_t operations = 0;          // commands answered
};

struct Endpoint {
  std::string host;
  int port = 0;
  bool operator==(const Endpoint&) const = default;
  bool operator<(const Endpoint& other) const { return std::tie(host, port) < std::tie(other.host, other.port); }
};

class Connection {
 public:
  static constexpr std::chrono::milliseconds kPatience{2000};  // without any progress
  static constexpr std::size_t kMostAnswer = std::size_t{32} << 20;

  // Whether this build can open such an address.
  static Status check(const Address& address);
  // Connects to `to`, with the user, password, database and TLS of `address`. REQUIRES: `stop` and `traffic` live as
  // long as the connection.
  static Result<std::unique_ptr<Connection>> open(const Address& address, const Endpoint& to, const Stop& stop,
                                                  Traffic& traffic);
  ~Connection();

  // Sends a command and waits for its answer, of at most kMostAnswer bytes. An Error means that the connection is lost
  // and must be closed; an error that Redis answers is a Reply.
  Result<Reply> call(const std::vector<std::string>& words);

 private:
  struct Link;
  explicit Connection(std::unique_ptr<Link> link);
  std::unique_ptr<Link> link_;
};

// What an error answered by Redis means and what to do, as the end of a sentence that begins with the server.
std::string explain(const std::string& redis_error);

}  // namespace bcp::fleet
