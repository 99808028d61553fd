// SPDX-License-Identifier: LGPL-2.1-or-later

#include "fleet/identity.hpp"

#include <random>

namespace bcp::fleet {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kTimeDigits = 16;

std::string hexadecimal(std::uint64_t value, std::size_t size) {
  std::string digits(size, '0');
  for (std::size_t i = size; i-- > 0; value >>= 4) digits[i] = "0123456789abcdef"[value & 15];
  return digits;
}

}  // namespace

std::string Identity::new_session(std::int64_t now) const {
  std::random_device random;
  return hexadecimal(static_cast<std::uint64_t>(now), kTimeDigits) + machine_.digits + hexadecimal(random(), 8);
}

bool Identity::is_of_this_machine(const std::string& session) const {
  return held_->is_open() && session.compare(kTimeDigits, Machine::kDigits, machine_.digits) == 0;
}

Identity::Step Identity::look(const Index& index, const std::string& session, const Now& now) {
  for (;;) {
    if (!held_) held_ = machine_.hold(fleet_ + " " + id_);
    if (!held_) {
      if (!change_id(true)) return Step::kWait;
      continue;
    }
    const auto found = index.nodes.find(id_);
    const bool is_known = found != index.nodes.end();
    const bool is_free = !is_known || found->second.left || found->second.is_expired(now.seconds);
    if (is_known && found->second.stamp.session == session) return watched_.reset(), Step::kKeep;
    if (owned_ && (is_free || found->second.stamp.session > session)) return watched_.reset(), Step::kKeep;
    // Its process held the name that this one holds now.
    if (is_free || is_of_this_machine(found->second.stamp.session)) return Step::kClaim;
    const Entry& entry = found->second;
    if (!watched_) watched_ = {entry, Clock::now()};
    const bool is_silent = entry == watched_->entry;
    if (is_silent && Clock::now() - watched_->since > 2 * now.heartbeat + 2s) return Step::kClaim;
    if (is_silent && !now.leaving) return Step::kWait;
    if (!change_id(false)) return Step::kWait;
  }
}

bool Identity::change_id(bool is_here) {
  if (tried_ == kMostIds) return false;
  change_ = {change_ ? change_->from : id_, is_here};
  id_ = wanted_ + "~" + std::to_string(++tried_);
  owned_ = false;
  watched_.reset();
  held_.reset();
  return true;
}

}  // namespace bcp::fleet
