// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The video protocol: methods on a video made from pictures (dwell.hpp), as a ranking and as a viewer sees it
// (viewer.hpp). video.md describes it.

#pragma once

#include <span>
#include <vector>

#include "adapt/settings.hpp"
#include "base/result.hpp"
#include "decide/decision.hpp"
#include "eval/dwell.hpp"
#include "eval/judge.hpp"
#include "eval/method.hpp"
#include "eval/presence.hpp"
#include "eval/results.hpp"
#include "eval/stream.hpp"

namespace bcp::eval {

struct VideoSettings {
  DwellSettings dwell = {};
  decide::DecisionSettings decision = {};  // what is shown
  double threshold_off = 0.1;              // lower threshold, for hysteresis

  // Presence as the element shows it: the mean of a shot's last `presence_span` seconds, with hysteresis.
  decide::DecisionSettings presence_decision = {.threshold = 0.5, .threshold_off = 0.4};
  double presence_span = 1;
};

// The inputs of presence.
struct VideoPresence {
  const std::vector<std::string>& names;  // of the labels
  const PresenceSettings& settings;
  std::size_t after = 0;  // its lines come after this many methods
};

// The effect of the additions to the paper's method: the paper's with each of them alone ("paper+shrinkage"), then all
// of them without one ("video-shrinkage"). `full` has all of them; a value equal to the paper's is not an addition.
// Without embeddings the novelty gate is left out.
std::vector<Method> video_ablations(const adapt::AdapterSettings& full, bool has_embeddings);

// One line per method. All methods get the same frames. Memory: two arrays of frames x labels at a time. `presence`
// adds two lines: "presence", and "presence_frame" without averaging; none if there are too few words for presence to
// decide. REQUIRES: the stream has everything the methods need; stream and truth agree.
Result<Table> video_protocol(Stream& stream, const Truth& truth, std::span<const Method> methods,
                             const VideoSettings& settings, const Progress& progress = {},
                             const VideoPresence* presence = nullptr);

}  // namespace bcp::eval
