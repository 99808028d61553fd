// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The processes of this machine that are nodes: a restarted process gets its id back at once, and two processes with
// the same id notice each other at once. Processes of other machines, and of containers with a network of their own,
// are seen through Redis only.
//
// Thread safety: values.

#pragma once

#include <optional>
#include <string>

#include "base/descriptor.hpp"

namespace bcp::fleet {

struct Machine {
  static constexpr std::size_t kDigits = 8;
  // Hexadecimal digits: equal for processes that see each other's names. They change when the machine starts again.
  std::string digits;

  static const Machine& here();

  // Holds a name until the descriptor is closed or the process ends, however it ends. Empty: another process holds it.
  // A descriptor that is not open: this system has no such names.
  std::optional<Descriptor> hold(const std::string& name) const;
};

}  // namespace bcp::fleet
