// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which faults of a node to report: one warning while a fault lasts, and not again soon. A fault that returns too soon
// for a warning and then stays is reported later.
//
// Thread safety: none.

#pragma once

#include <chrono>
#include <map>
#include <set>

#include "fleet/node.hpp"

namespace bcp::fleet {

class FaultReports {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kQuiet{60};          // between two warnings about Redis itself
  static constexpr std::chrono::seconds kQuietValues{3600};  // between two warnings about what is stored there

  // Whether it has an end: end() will be called.
  static bool lasts(Fault fault) { return fault == Fault::kReach || fault == Fault::kWrite; }

  // A fault has happened, or still lasts. Returns whether to report it.
  bool begin(Fault fault, Clock::time_point now) {
    if (reported_.contains(fault)) return false;
    const auto [last, is_first] = warned_.try_emplace(fault, now);
    const bool is_quiet = !is_first && now - last->second < (lasts(fault) ? kQuiet : kQuietValues);
    if (is_quiet && fault != Fault::kIdentity) return false;
    last->second = now;
    if (lasts(fault)) reported_.insert(fault);
    return true;
  }
  // It does not last, or no longer. Returns whether to report that.
  bool end(Fault fault) { return reported_.erase(fault) > 0; }

 private:
  std::map<Fault, Clock::time_point> warned_;
  std::set<Fault> reported_;  // and not ended
};

}  // namespace bcp::fleet
