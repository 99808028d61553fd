// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The orders in which a stream can be seen. What is drawn here is drawn with integers from a generator whose numbers
// the C++ standard fixes: a seed means the same order on every machine.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "eval/stream.hpp"

namespace bcp::eval {

// order[i] is the sample that comes i-th; each comes once.
using Order = std::vector<std::uint32_t>;

Order file_order(std::size_t samples);
Order shuffled_order(std::size_t samples, std::uint64_t seed);

// A stream in which labels come in bunches, the more so the smaller gamma is.
//
// The paper has streams "with Dirichlet(gamma)" and does not tell how they are made; this construction is ours. Each
// sample belongs to the rarest of its labels (groups.hpp), those without a label together. The stream is cut into as
// many spans as there are such groups. The samples of a group are spread over the spans by shares drawn from
// Dirichlet(gamma, ..., gamma): with a small gamma nearly all of them fall into one span. Within a span samples are
// shuffled. The shares are drawn as Polya's urn, which needs no logarithms: the next sample goes to a span with a
// chance of gamma plus what the span has of the group already.
//
// REQUIRES: gamma >= kSmallestGamma.
inline constexpr double kSmallestGamma = 1e-6;
Order dirichlet_order(const Truth& truth, double gamma, std::uint64_t seed);

// Orders from a file: one [T], or several [R, T]. An error if one of them is not an order of so many samples.
Result<std::vector<Order>> load_orders(const std::string& path, std::size_t samples);

}  // namespace bcp::eval
