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
  kVideo,      // on its own frames: video.hpp
};

struct ProtocolInfo {
  Protocol protocol;
  const char* name;     // for the command line: "anchor-confidence"
  const char* summary;  // for --help
  bool wants_bcp = false;
};

std::span<const ProtocolInfo> protocols();
// Null for an unknown name.
const ProtocolInfo* find_protocol(std::string_view name);

// The data of the tables: every method on the given orders. Plain CLIP comes first, then BCP with the given settings,
// if selected.
struct Bench {
  Judge& judge;
  const std::vector<Judgement>& methods;
  const std::vector<Order>& orders;
  const std::vector<std::string>& names;  // of the labels
  std::uint64_t seed;
};

// The number of runs of the protocol in addition to those of the bench.
std::size_t runs_of(Protocol protocol, std::size_t methods, std::size_t orders);

// REQUIRES: not kDecision, kFewLabels or kVideo, which have their own functions.
Result<Table> table_of(Protocol protocol, const Bench& bench);

// The two tables that are always included.
Table main_table(std::span<const Judgement> methods);
Table per_class_table(std::span<const Judgement> methods, const Truth& truth, const std::vector<std::string>& names);
// One line for each order of the bench, instead of Protocol::kOrderings if several were given.
Table given_orders_table(std::span<const Judgement> methods);

}  // namespace bcp::eval
