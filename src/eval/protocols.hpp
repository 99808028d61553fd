// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The paper's protocols, each of which gives a table.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "eval/judge.hpp"
#include "eval/orders.hpp"
#include "eval/results.hpp"
#include "eval/run.hpp"
#include "eval/stream.hpp"

namespace bcp::eval {

enum class Protocol {
  kOrderings,
  kLastHalf,
  kNonIid,
  kAnchorConfidence,
  kAnchors,
  kWarmUp,
  kLabelCount,
  kFrequency,
  kAnchorHit,
  kTime,
  kCeiling,
  kDecision,   // decision.hpp
  kFewLabels,  // decision.hpp
  kVideo,      // on frames of its own: video.hpp
};

struct ProtocolInfo {
  Protocol protocol;
  const char* name;     // as it is typed: "anchor-confidence"
  const char* summary;  // for --help
  bool wants_bcp = false;
};

std::span<const ProtocolInfo> protocols();
// Null for a name that is none.
const ProtocolInfo* find_protocol(std::string_view name);

// What the tables are made from: every method on the orders that were asked for. Plain CLIP comes first, then the BCP
// that was asked for, if it was.
struct Bench {
  Judge& judge;
  const std::vector<Judgement>& methods;
  const std::vector<Order>& orders;
  const std::vector<std::string>& names;  // of the labels
  std::uint64_t seed;
};

// How many runs the protocol makes beyond those of the bench.
std::size_t runs_of(Protocol protocol, std::size_t methods, std::size_t orders);

// REQUIRES: it is none of kDecision, kFewLabels and kVideo, which have functions of their own.
Result<Table> table_of(Protocol protocol, const Bench& bench);

// The two tables that are always there.
Table main_table(std::span<const Judgement> methods);
Table per_class_table(std::span<const Judgement> methods, const Truth& truth, const std::vector<std::string>& names);
// One line for each order of the bench, in place of Protocol::kOrderings when several were given.
Table given_orders_table(std::span<const Judgement> methods);

}  // namespace bcp::eval
