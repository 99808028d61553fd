// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The video protocol: what methods do to a video made from pictures (dwell.hpp), as a ranking and as somebody sees it
// (viewer.hpp). video.md beside this file describes it.

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
  double threshold_off = 0.1;              // the same with hysteresis

  // Presence, as the element shows it: the mean of a shot's last `presence_span` seconds, with hysteresis.
  decide::DecisionSettings presence_decision = {.threshold = 0.5, .threshold_off = 0.4};
  double presence_span = 1;
};

// What presence is run with.
struct VideoPresence {
  const std::vector<std::string>& names;  // of the labels
  const PresenceSettings& settings;
  std::size_t after = 0;  // its lines come after so many methods
};

// What the additions to the paper's method buy: the paper's with each of them alone ("paper+shrinkage"), then all of
// them but one ("video-shrinkage"). `full` has all of them; what it leaves at the paper's value is no addition. The
// novelty gate is left out where there are no embeddings.
std::vector<Method> video_ablations(const adapt::AdapterSettings& full, bool has_embeddings);

// One line a method. All see the same frames. Memory: two arrays of frames x labels at a time.
// With `presence` two lines more: "presence", and "presence_frame", which averages nothing; none where there are too
// few words for presence to decide.
// REQUIRES: the stream has what the methods want; stream and truth agree.
Result<Table> video_protocol(Stream& stream, const Truth& truth, std::span<const Method> methods,
                             const VideoSettings& settings, const Progress& progress = {},
                             const VideoPresence* presence = nullptr);

}  // namespace bcp::eval
