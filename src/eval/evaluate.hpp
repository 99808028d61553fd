// SPDX-License-Identifier: LGPL-2.1-or-later
//
// An evaluation from beginning to end: methods, protocols, tables.

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
  adapt::AdapterSettings settings = {};                   // the preset's, with what was set by hand
  std::vector<MethodKind> adapters = {MethodKind::kBcp};  // beside plain CLIP, which is always there
  std::vector<Order> orders = {};                         // none: the file's
  std::vector<Protocol> protocols = {};
  std::uint64_t seed = 0;
  PresenceSettings presence = {};  // of the protocols that show labels: decision, few-labels, video
  VideoSettings video = {};        // but for its seed
};

// What can be told before the work begins: shapes that differ, methods that the stream has too little for. evaluate()
// looks too.
Status check(const Request& request, const Stream& stream, const Truth& truth);

// The same for what only the protocols tell: whether BCP, which some are about, is among the methods.
Status check(std::span<const Protocol> asked, bool bcp);

// Figures are the mean over the orders that were asked for. Memory: two arrays of samples x labels at a time.
// `settings` of the result has what is known here; whoever knows more adds it.
Result<Results> evaluate(const Request& request, Stream& stream, const Truth& truth, const Progress& progress = {});

}  // namespace bcp::eval
