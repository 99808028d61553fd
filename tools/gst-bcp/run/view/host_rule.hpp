// SPDX-License-Identifier: LGPL-2.1-or-later
// Which Host headers the live page accepts.
//
// A web page of a stranger can let its own name resolve to this machine (DNS rebinding); the browser then takes our
// answers for its own. Its requests carry the stranger's name in Host. So a name is accepted only if it is known here:
// localhost, the name of this machine (also as NAME.local), and those that the user has listed. IP addresses are always
// accepted: no name was resolved. Any thread.

#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace bcp::cli::view {

class HostRule {
 public:
  // `machine`: the name of this machine. `listed`: more names.
  HostRule(const std::string& machine, const std::vector<std::string>& listed);

  // The header as sent, with or without a port.
  bool accepts(std::string_view host) const;

 private:
  std::set<std::string, std::less<>> names_;  // in lower case
};

}  // namespace bcp::cli::view
