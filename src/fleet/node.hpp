// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The work of a node in rounds: claims an id, writes the own contribution, reads those of the others, and gives their
// sum to the streams. member.hpp calls it on its thread.
//
// In a round without changes a node sends two commands (TIME, HGETALL), and two more in each heartbeat (EXPIRE, HSET).
// The own contribution is written when at least 1 % of it is new, or after twelve intervals.
//
// A large fleet makes sums older, not traffic larger: nodes that were never read are read at once (at most 500 and 16
// MiB in a round), but newer states of known ones only at 128 KiB a second, in turn; and rounds follow each other more
// slowly when the index is so long that reading it would take more than 32 KiB a second.
//
// Thread safety: one thread at a time; the group's streams run meanwhile.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fleet/client.hpp"
#include "fleet/identity.hpp"
#include "fleet/index.hpp"
#include "fleet/siblings.hpp"
#include "prior/group.hpp"

namespace bcp::fleet {

// What may go wrong, each reported on its own.
enum class Fault { kReach, kWrite, kValue, kModel, kGarbage, kIdentity };

class Node {
 public:
  // Receives faults that do not end a round, and what users may want to know.
  class Reports {
   public:
    virtual void fault(Fault fault, const Error& error) = 0;
    virtual void note(const std::string& text) = 0;

   protected:
    ~Reports() = default;
  };

  // REQUIRES: `stop` and `reports` outlive the node.
  Node(std::shared_ptr<prior::PriorGroup> group, const Address& address, const std::string& id, const Stop& stop,
       Reports& reports, const Machine& machine = Machine::here());

  // One round. An error: Redis could not be reached, or refuses to be read. `leaving`: writes what is left and marks
  // the node as left; reads nothing.
  Status round(bool leaving);

  // How long to wait until the next round: the interval, or longer in a large fleet.
  std::chrono::milliseconds pause() const { return pause_; }

  const std::string& id() const { return identity_.id(); }
  bool is_owned() const { return identity_.is_owned(); }
  const Address& address() const { return client_.address(); }
  const Siblings& siblings() const { return siblings_; }
  std::uint64_t published() const { return stamp_.number; }
  const Traffic& traffic() const { return client_.traffic(); }

 private:
  using Clock = std::chrono::steady_clock;

  std::string shown() const { return "prior-group=" + client_.address().shown(); }
  // The list that this node contributes: the one with most streams; of equal ones, the oldest. Null: none.
  std::shared_ptr<prior::Learnt> contributed() const;
  Status hold_id(const Index& index, std::int64_t now, bool leaving);
  // Takes over the id, with what an earlier process left in its key.
  Status claim();
  bool adopt(const Contribution& before);
  void report(const Identity::Change& change);
  Status keep_up(const Index& index, std::int64_t now, bool leaving);
  bool is_due() const;
  Status publish(std::int64_t now, bool leaving);
  Status write_entry(std::int64_t now, bool leaving);
  Status read_others(const Index& index, std::int64_t now);
  // Removes an expired node from the index.
  Status remove(const std::string& node);
  // Reads one node, adds its bytes to `bytes`.
  Status read_other(const std::string& node, const Entry& entry, std::size_t& bytes);
  // Gives the sum to all streams, or only to those that have none yet.
  void apply(bool all);

  const std::shared_ptr<prior::PriorGroup> group_;
  Client client_;
  Reports& reports_;
  const std::chrono::milliseconds heartbeat_;
  std::chrono::milliseconds pause_;
  Identity identity_;
  Stamp stamp_;  // the number is that of the last contribution written

  std::weak_ptr<prior::Learnt> written_;  // the list that was written last, and in which state
  std::uint64_t written_revision_ = 0;
  unsigned written_taught_ = 0;
  Clock::time_point written_at_, beat_at_;

  Siblings siblings_;
  std::string last_read_;  // the node at which the next round continues
  bool changed_ = false;   // siblings_ differ from what was applied
  std::vector<std::weak_ptr<prior::Learnt>> applied_;
};

}  // namespace bcp::fleet
