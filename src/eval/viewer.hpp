// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How a viewer sees the labels of a video: names that appear, disappear and flicker.
//
// Thread safety: none.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decide/decision.hpp"

namespace bcp::eval {

struct Impression {
  double flicker = 0;      // per minute: how often a label appeared or disappeared within a shot
  double first_label = 0;  // seconds from the start of a shot to the first true label, mean over the shots that got
                           // one; kNone if none did
  double never_named = 0;  // shots with a true label that never show one, in percent; kNone if none has one
  double f1 = 0;           // of the labels shown, over all frames and labels together, in percent; kNone if nothing is
                           // true and nothing was shown
};

class Viewer {
 public:
  Viewer(const decide::DecisionSettings& decision, double frame_rate);

  // Call for each frame in order. `truth` is 1, 0 or -1 (ignored) for each label and must not change within a shot.
  // REQUIRES: sizes agree; the first frame begins a shot.
  void see(bool first_of_shot, std::span<const double> probability, std::span<const std::int8_t> truth);
  // The next frame begins a shot, as detected by the presence layer: removes the shown labels.
  void cut() { decision_.reset(); }
  Impression impression() const;

 private:
  void judge(std::span<const std::uint8_t> shown, std::span<const std::int8_t> truth);

  decide::Decision decision_;
  const decide::DecisionSettings settings_;
  const double frame_rate_;
  std::vector<std::uint8_t> last_;
  std::size_t frames_ = 0, changes_ = 0;
  std::size_t hits_ = 0, wrong_ = 0, missed_ = 0;   // labels of frames
  std::size_t shots_ = 0, named_ = 0, waited_ = 0;  // shots with a true label; frames before the first was shown
  std::size_t number_ = 0;                          // of the frame in its shot
  bool is_named_ = false;
};

}  // namespace bcp::eval
