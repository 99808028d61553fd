// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Settings of the adapter, and the two presets.

#pragma once

#include <optional>

namespace bcp::adapt {

// Bayesian Conditional Priors. The values here are the paper's; our additions are off.
struct BcpSettings {
  double anchor_confidence = 0.5;  // mu: a frame is corrected when its top probability is above this
  double strength = 1;             // share of the correction that is added; 0 is plain CLIP
  int anchors = 1;                 // how many of the likeliest labels the correction is averaged over, 1 to 3;
                                   // 0: over all, each weighed by the square of its probability
  bool keep_anchor = false;        // the likeliest label keeps its probability: the others share the rest
  bool warm_up = false;            // no correction until the estimates have settled
  double shrinkage = 0;            // lambda: pseudo-samples in which labels are independent
  double half_life = 0;            // in learnt samples; 0: nothing is forgotten

  bool operator==(const BcpSettings&) const = default;
};

// Which frames are learnt. Neighbouring frames are nearly equal: counting each would only measure how long a scene
// stays.
struct NoveltySettings {
  double distance = 0;  // 1 - cosine to the last learnt frame; 0: every frame is learnt
  double interval = 0;  // seconds after which any frame is learnt; 0: never

  bool operator==(const NoveltySettings&) const = default;
};

struct AdapterSettings {
  BcpSettings bcp;
  NoveltySettings novelty;

  bool operator==(const AdapterSettings&) const = default;
};

// What corrects a stream's scores.
enum class Correction {
  kNone,  // plain CLIP
  kBcp,   // Bayesian Conditional Priors (bcp.hpp)
};

enum class Preset {
  kPaper,  // the method exactly as published
  kVideo,  // for cameras: avoids harm, and counts near copies once
};

constexpr AdapterSettings preset_settings(Preset preset) {
  AdapterSettings settings;
  if (preset == Preset::kVideo) {
    // docs/results.md has the measured effect of each.
    settings.bcp.anchor_confidence = 0;
    settings.bcp.anchors = 0;
    settings.bcp.keep_anchor = true;
    settings.bcp.shrinkage = 2;
    settings.bcp.half_life = 2000;
    settings.novelty = {.distance = 0.05, .interval = 30};
  }
  return settings;
}

// Values that were set explicitly: they override a preset.
struct SetByHand {
  std::optional<double> anchor_confidence, strength, shrinkage, half_life, novelty_distance;
  std::optional<double> novelty_interval;  // seconds
  std::optional<int> anchors;
  std::optional<bool> keep_anchor, warm_up;

  AdapterSettings over(Preset preset) const {
    AdapterSettings result = preset_settings(preset);
    BcpSettings& bcp = result.bcp;
    bcp.anchor_confidence = anchor_confidence.value_or(bcp.anchor_confidence);
    bcp.strength = strength.value_or(bcp.strength);
    bcp.anchors = anchors.value_or(bcp.anchors);
    bcp.keep_anchor = keep_anchor.value_or(bcp.keep_anchor);
    bcp.warm_up = warm_up.value_or(bcp.warm_up);
    bcp.shrinkage = shrinkage.value_or(bcp.shrinkage);
    bcp.half_life = half_life.value_or(bcp.half_life);
    result.novelty.distance = novelty_distance.value_or(result.novelty.distance);
    result.novelty.interval = novelty_interval.value_or(result.novelty.interval);
    return result;
  }
};

}  // namespace bcp::adapt
