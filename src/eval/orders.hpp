// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The orders of a stream. Random orders use integers from a generator defined by the C++ standard: a seed gives the
// same order on every machine.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "eval/stream.hpp"

namespace bcp::eval {

// order[i] is the sample at position i; each sample occurs once.
using Order = std::vector<std::uint32_t>;

Order file_order(std::size_t samples);
Order shuffled_order(std::size_t samples, std::uint64_t seed);

// A stream in which labels come in bunches, more so for a smaller gamma.
//
// The paper has streams "with Dirichlet(gamma)" but does not define them; this construction is ours. Each sample
// belongs to the group of its rarest label (groups.hpp); samples without labels are one group. The stream is cut into
// as many spans as groups. The samples of a group are spread over the spans by shares drawn from Dirichlet(gamma, ...,
// gamma): with a small gamma nearly all fall into one span. Within a span samples are shuffled. The shares are drawn as
// Polya's urn, which needs no logarithms: the next sample goes to a span with probability proportional to gamma plus
// the number of the group's samples already there.
//
// REQUIRES: gamma >= kSmallestGamma.
inline constexpr double kSmallestGamma = 1e-6;
Order dirichlet_order(const Truth& truth, double gamma, std::uint64_t seed);

// Orders from a file: one [T], or several [R, T]. An error if one of them is not an order of `samples` samples.
Result<std::vector<Order>> load_orders(const std::string& path, std::size_t samples);

}  // namespace bcp::eval
