// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A whole evaluation: methods, protocols, tables.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "adapt/settings.hpp"
#include "base/result.hpp"
#include "eval/judge.hpp"
#include "eval/method_kind.hpp"
#include "eval/orders.hpp"
#include "eval/presence.hpp"
#include "eval/protocols.hpp"
#include "eval/results.hpp"
#include "eval/stream.hpp"
#include "eval/video.hpp"

namespace bcp::eval {

struct Request {
  std::vector<std::string> names;  // of the labels
  adapt::Preset preset = adapt::Preset::kPaper;
  adapt::AdapterSettings settings = {};                   // the preset with explicitly set values
  std::vector<MethodKind> adapters = {MethodKind::kBcp};  // besides plain CLIP, which is always included
  std::vector<Order> orders = {};                         // empty: the order of the file
  std::vector<Protocol> protocols = {};
  std::uint64_t seed = 0;
  PresenceSettings presence = {};  // for the protocols that show labels: decision, few-labels, video
  VideoSettings video = {};        // without its seed
};

// Checks before the work begins: different shapes, methods that need more data. evaluate() checks too.
Status check(const Request& request, const Stream& stream, const Truth& truth);

// Checks the protocols: some need BCP among the methods.
Status check(std::span<const Protocol> asked, bool bcp);

// Figures are means over the given orders. Memory: two arrays of samples x labels at a time. `settings` of the result
// has what is known here; callers may add more.
Result<Results> evaluate(const Request& request, Stream& stream, const Truth& truth, const Progress& progress = {});

}  // namespace bcp::eval
