// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Decides which frames are learnt: those that differ from the last one learnt, or come long enough after it.
//
// Thread safety: none. One instance belongs to one stream.

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "adapt/settings.hpp"

namespace bcp::adapt {

class NoveltyGate {
 public:
  // Whether to learn the frame with this unit embedding at `time` (seconds; empty without a timestamp). An admitted
  // frame becomes the reference for the next ones. Time that runs backwards restarts the interval.
  bool admit(std::span<const float> embedding, std::optional<double> time, const NoveltySettings& settings);

  // The next frame counts as new.
  void reset();

 private:
  std::vector<float> last_;  // empty before the first frame
  std::optional<double> last_time_;
};

}  // namespace bcp::adapt
