// SPDX-License-Identifier: LGPL-2.1-or-later
//
// This process as a node of a fleet: shares what a PriorGroup learns with the nodes of other machines, through Redis.
//
// Each node owns one key and writes only what it has learnt itself. The prior of the fleet is the sum over the nodes,
// whatever the order in which they are read: no lock and no leader is needed, and reading twice changes nothing.
// The frames of a node use its own statistics plus the sum of the others (prior/learnt.hpp).
//
// Everything happens on a thread of its own. A fault of Redis is reported once and retried; frames never wait.
//
// Identity (identity.hpp): `node` should be the same after a restart. A node that comes back continues with the
// contribution in its key, unless a prior-file was loaded: then the file's statistics replace it.
//
// Thread safety: any thread may call anything. Listeners are called on the thread of the member, with no lock held that
// they could need, but never after detach() has returned.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fleet/address.hpp"
#include "fleet/connection.hpp"
#include "prior/group.hpp"

namespace bcp::fleet {

// How a member is doing.
struct Condition {
  bool connected = false;       // the last round worked
  std::string node;             // the id in use; empty: not yet
  std::size_t nodes = 0;        // other nodes whose contribution is used
  double samples = 0;           // of them
  std::uint64_t rounds = 0;     // finished
  std::uint64_t published = 0;  // number of times the own contribution was written
  Traffic traffic;
};

class Member {
 public:
  class Listener {
   public:
    virtual void fleet_warning(const Error& error) noexcept = 0;
    virtual void fleet_info(const std::string& text) noexcept = 0;
    virtual void fleet_changed(const Condition& condition) noexcept = 0;

   protected:
    ~Listener() = default;
  };

  // Starts sharing, or returns the member that this group already has. `node` is used if the address names none.
  // Returns at once: Redis is reached later. Errors: this build has no Redis; another address for the same group.
  static Result<std::shared_ptr<Member>> join(const std::shared_ptr<prior::PriorGroup>& group, const Address& address,
                                              const std::string& node);
  // Writes what was learnt last and marks the node as left, if that takes no longer than a second.
  ~Member();
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  // Changes of condition go to all listeners, warnings and infos to the first only.
  void attach(Listener& listener);
  void detach(Listener& listener);
  Condition condition() const;
  // Starts a round now: the labels of a stream have changed.
  void wake();

 private:
  class Loop;
  Member(std::shared_ptr<prior::PriorGroup> group, const Address& address, const std::string& node);
  std::unique_ptr<Loop> loop_;
};

// The host's name and `source`, as an id: without spaces and control characters.
std::string default_node(const std::string& source);

}  // namespace bcp::fleet
