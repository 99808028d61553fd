// SPDX-License-Identifier: LGPL-2.1-or-later
// Host names to numbers, without waiting for a slow name server for longer than wanted.

#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fleet/stop.hpp"

namespace bcp::fleet {

// The addresses of the host as numbers, in the order in which to try them: at least one. A number is returned at once.
// getaddrinfo() cannot be cancelled: it runs on a thread of its own, which ends later if `deadline` passes or `stop` is
// raised.
Result<std::vector<std::string>> resolve(const std::string& host, std::chrono::steady_clock::time_point deadline,
                                         const Stop& stop);

}  // namespace bcp::fleet
