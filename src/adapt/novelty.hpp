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
  // Whether to learn the frame with this unit embedding, shown at `time` (seconds; none if it has no timestamp). A
  // frame that is let through is the one the next ones are compared with. Time that runs backwards starts the interval
  // anew.
  bool admit(std::span<const float> embedding, std::optional<double> time, const NoveltySettings& settings);

  // The next frame is new, whatever it shows.
  void reset();

 private:
  std::vector<float> last_;  // empty: none yet
  std::optional<double> last_time_;
};

}  // namespace bcp::adapt
