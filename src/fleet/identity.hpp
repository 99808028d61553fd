// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which id a process has among the nodes of its fleet.
//
// The id should be the same after a restart. If it is in use, by a process of this machine (machine.hpp) or by one that
// changes its entry in the index, this process takes another: "ID~2". An entry of another machine that has not changed
// for two heartbeats is of a process that has ended.
//
// If two processes have claimed the same id, because one of them was cut off from Redis, the later one gives it up.
// Which is later is decided by the clock of Redis, in their sessions.
//
// Thread safety: none.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "fleet/index.hpp"
#include "fleet/machine.hpp"

namespace bcp::fleet {

class Identity {
 public:
  Identity(std::string fleet, const std::string& wanted, Machine machine)
      : fleet_(std::move(fleet)), machine_(std::move(machine)), wanted_(wanted), id_(wanted) {}

  const std::string& id() const { return id_; }
  bool is_owned() const { return owned_; }
  // The entry of the id was claimed.
  void set_owned() { owned_ = true; }

  // A new session: the time of Redis (in microseconds), the machine, and random digits.
  std::string new_session(std::int64_t now) const;

  // What to do next. kWait: the id may be in use, look again in the next round.
  enum class Step { kKeep, kClaim, kWait };
  struct Now {
    std::int64_t seconds;                 // of Redis
    std::chrono::milliseconds heartbeat;  // of living nodes
    bool leaving;                         // waits for nothing, but takes another id
  };
  // `session`: of this process.
  Step look(const Index& index, const std::string& session, const Now& now);

  // Why look() has changed the id; empty: it has not.
  struct Change {
    std::string from;
    bool is_here;  // the other process is of this machine
  };
  std::optional<Change> take_change() { return std::exchange(change_, std::nullopt); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kMostIds = 100;

  bool change_id(bool is_here);
  bool is_of_this_machine(const std::string& session) const;

  const std::string fleet_;
  const Machine machine_;
  const std::string wanted_;
  std::string id_;
  int tried_ = 1;
  bool owned_ = false;
  std::optional<Change> change_;
  std::optional<Descriptor> held_;  // the id, among the processes of this machine
  // The entry of another session under this id, and since when it has not changed.
  struct Watched {
    Entry entry;
    Clock::time_point since;
  };
  std::optional<Watched> watched_;
};

}  // namespace bcp::fleet
