// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Statistics below those that a stream learns: of a base file (prior-base).
//
// Frames are corrected with the sum of the own statistics and the base, as with those of other machines. A base counts
// as kMostSamples samples at most, however many it has: the stream outgrows it. It is never part of a file or of what
// other machines get, so it counts once after any number of restarts.
//
// Thread safety: values.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapt/bcp.hpp"
#include "base/result.hpp"
#include "prior/snapshot.hpp"

namespace bcp::prior {

// Enough to start from, few enough for a stream to outgrow: the middle of 20, 100 and 500, which were tried.
inline constexpr double kMostBaseSamples = 100;

// These statistics as a base. Null if they have no samples.
std::shared_ptr<const adapt::Others> bounded(const adapt::Cooccurrence& seen, bool settled);
// The sum; null pointers are left out. A single one is returned as it is. REQUIRES: the same labels in the same order.
std::shared_ptr<const adapt::Others> sum_of(const std::vector<std::shared_ptr<const adapt::Others>>& parts);

// A file for prior-base. Errors name the file and what to do: it is missing or damaged, or of another model than the
// one with the identity `model`.
Result<std::shared_ptr<const Snapshot>> load_base(const std::string& path, const std::string& model);

}  // namespace bcp::prior
