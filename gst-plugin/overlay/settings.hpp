// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The values behind the properties of a bcpoverlay.
//
// Immutable once published: a setter publishes a changed copy; each frame holds a reference to one consistent set.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "support/guarded.hpp"

namespace bcp::overlay {

enum class Position { kTopLeft, kTopRight, kBottomLeft, kBottomRight };

// What a panel shows beside the names; the values of a GFlags.
enum Show : unsigned {
  kShowProbability = 1U << 0,
  kShowBar = 1U << 1,
  kShowCorrection = 1U << 2,
  kShowAnchor = 1U << 3,
  kShowSource = 1U << 4,
  kShowRemoved = 1U << 5,  // labels that only plain CLIP shows
  kShowAll = 1U << 6,      // every label, shown or not
  kShowRegions = 1U << 7,  // tags and boxes of regions
  kShowReason = 1U << 8,   // of presence: the context word, and with compare prior and evidence
};

struct Settings {
  bool enabled = true;
  Position position = Position::kTopLeft;
  std::string font = "Sans";
  double scale = 1;
  double opacity = 1;
  int max_lines = 10;
  unsigned show =
      kShowProbability | kShowBar | kShowCorrection | kShowAnchor | kShowRemoved | kShowRegions | kShowReason;
  bool compare = false;
  std::uint64_t dim_after = 500'000'000;  // nanoseconds
};

using SharedSettings = gst::Guarded<std::shared_ptr<const Settings>>;

}  // namespace bcp::overlay
