// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The running mean of a frame's values within a shot, over the last `span` seconds. A cut starts it anew.
//
// Thread safety: none.

#pragma once

#include <optional>
#include <span>
#include <vector>

namespace bcp::decide {

class ShotMean {
 public:
  // A cut changes the scores against the shot's mean and, at once, against the frame before: a camera that moves
  // changes them against the mean alone. Both are mean squared differences. The first must be above `cut` (kCut for
  // CLIP; encoders whose scores differ less from picture to picture need less), the second above kJump of that, and
  // kUnusual times the usual change from frame to frame.
  static constexpr double kCut = 2.5, kJump = 1.2, kUnusual = 5;
  // From this distance on, in cuts, the mean follows a camera that has moved on without a cut.
  static constexpr double kFollow = 2.8;

  // Adds a frame seen at `time` (seconds; none: unknown, then a frame lasts 1/30 s). `scores` are tested for a cut,
  // `values` averaged. Returns whether the frame begins a shot. span <= 0: the mean is the last frame alone.
  // REQUIRES: cut is positive.
  bool add(std::span<const double> scores, std::span<const double> values, std::optional<double> time, double span,
           double cut = kCut);
  // The last frame was still to be seen at `time`, unchanged: what was missed up to then is no pause.
  void hold(std::optional<double> time) { time_ = time; }
  std::span<const double> mean() const { return values_; }

  void reset() { values_.clear(); }

 private:
  std::vector<double> scores_, values_;  // means; empty: no frame yet
  std::vector<double> last_;             // scores of the last frame
  double motion_ = 0;                    // usual change from frame to frame; the camera's, so kept across cuts
  std::optional<double> time_;           // of the last frame
  double length_ = 0;                    // of the shot so far, in seconds
};

}  // namespace bcp::decide
