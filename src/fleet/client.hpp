// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Commands on one key each, to a Redis server or a Redis Cluster.
//
// A cluster answers MOVED or ASK if another of its servers has the key; both are followed, and where a key was found is
// remembered. If a server is lost, the next command asks the others that are known.
//
// Thread safety: one thread at a time. As with Connection, never the thread of frames.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fleet/connection.hpp"

namespace bcp::fleet {

class Client {
 public:
  // Connects with the first command. REQUIRES: `stop` lives as long as this.
  Client(Address address, const Stop& stop) : address_(std::move(address)), stop_(stop) {}

  // An Error is one sentence for people: kInvalid if a server answered with an error, else no server was reached.
  Result<Reply> call(const std::string& key, const std::vector<std::string>& words);
  // The clock of Redis in microseconds since 1970: the only one that nodes share.
  Result<std::int64_t> time();

  const Address& address() const { return address_; }
  const Traffic& traffic() const { return traffic_; }

 private:
  Endpoint home() const { return {address_.host, address_.port}; }
  Result<Connection*> connection(const Endpoint& to);
  // Sends it to this server and follows at most kMostHops answers.
  Result<Reply> follow(Endpoint to, const std::string& key, const std::vector<std::string>& words);
  void lose(const Endpoint& server);

  const Address address_;
  const Stop& stop_;
  Traffic traffic_;
  std::map<Endpoint, std::unique_ptr<Connection>> open_;
  std::map<std::string, Endpoint> found_;  // keys that other servers of the cluster have
  std::vector<Endpoint> known_;            // servers of the cluster besides home()
};

}  // namespace bcp::fleet
